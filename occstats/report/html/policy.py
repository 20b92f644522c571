"""The page's Content-Security-Policy: nothing may run, load or be sent but what we put in."""

import base64
import hashlib
from collections.abc import Iterable

__all__ = ["content_security_policy", "source_hash"]


def source_hash(content: str) -> str:
    """The hash by which a policy allows one inline script or style.

    Examples
    --------
    >>> source_hash("alert(1)")
    "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"
    """
    digest = hashlib.sha256(content.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def content_security_policy(*, scripts: Iterable[str], styles: Iterable[str]) -> str:
    """Allow these inline scripts and styles and images inside the page, and nothing else.

    Parameters
    ----------
    scripts, styles
        The exact contents of the elements.

    Examples
    --------
    >>> content_security_policy(scripts=[], styles=[]).split("; ")[:3]
    ["default-src 'none'", "script-src 'none'", "style-src 'none'"]
    """
    allowed = {
        "default-src": ["'none'"],
        "script-src": [source_hash(script) for script in scripts] or ["'none'"],
        "style-src": [source_hash(style) for style in styles] or ["'none'"],
        "img-src": ["data:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
        "require-trusted-types-for": ["'script'"],
        "trusted-types": ["'none'"],
    }
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in allowed.items())
