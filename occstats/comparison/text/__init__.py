"""What a comparison says: the verdict, the methods paragraph, the explanations, the literature."""
