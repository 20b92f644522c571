"use strict";
/* Mean ranks and p-values of any part of the table: occstats.stats.typical_tests in JavaScript.

   Scores are rows of numbers, higher is better, NaN where missing and -Infinity for failures;
   clusters number the datasets of the rows in Python's order, so that the same random signs fall on
   the same datasets. */
(() => {
  /* Values of Z closer than this are the same arrangement, reached by another order of additions. */
  const SAME_Z = 1e-10;
  /* A statistic this small is zero but for rounding. */
  const ZERO = 1e-9;

  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const halfEven = (value) => {
    const floor = Math.floor(value);
    const rest = value - floor;
    return rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
  };
  const onGrid = (value, tolerance) => (tolerance === 0 ? value : halfEven(value / tolerance));

  /* Average ranks, 1 for the lowest. */
  const ranksOf = (values) => {
    const order = [...values.keys()].sort((a, b) => values[a] - values[b] || 0);
    const ranks = new Array(values.length);
    for (let start = 0, end; start < order.length; start = end) {
      for (end = start + 1; end < order.length && values[order[end]] === values[order[start]];) end += 1;
      for (let place = start; place < end; place += 1) ranks[order[place]] = (start + 1 + end) / 2;
    }
    return ranks;
  };

  /* Mean ranks on the tasks that all algorithms have, each dataset having equal weight. */
  const meanRanks = (scores, clusters, tolerance) => {
    const whole = [...scores.keys()].filter((task) => !scores[task].some(Number.isNaN));
    const sizes = new Map();
    for (const task of whole) sizes.set(clusters[task], (sizes.get(clusters[task]) ?? 0) + 1);
    const means = new Array(scores[0].length).fill(whole.length ? 0 : NaN);
    for (const task of whole) {
      const weight = 1 / (sizes.get(clusters[task]) * sizes.size);
      ranksOf(scores[task].map((score) => -onGrid(score, tolerance)))
        .forEach((rank, place) => { means[place] += weight * rank; });
    }
    return means;
  };

  /* Differences in units of the tolerance, ascending and without zeros. */
  const differencesOf = (scores, clusters, a, b, tolerance) => {
    const known = scores
      .map((row, task) => [row[a] === row[b] ? 0 : onGrid(row[a] - row[b], tolerance), clusters[task]])
      .filter(([x]) => !Number.isNaN(x));
    const kept = known.filter(([x]) => x !== 0).sort(([one], [other]) => one - other || 0);
    return {
      x: Float64Array.from(kept, ([x]) => x), cluster: Int32Array.from(kept, ([, cluster]) => cluster),
      nKnown: new Set(known.map(([, cluster]) => cluster)).size,
    };
  };

  /* Signed ranks after subtracting a shift, added up by dataset: the distances below and above the
     shift are two sorted lists, which are merged. Just below the shift, a difference equal to it is
     positive and ranks above those at the same distance on the other side. Also the Walsh averages
     (means of two differences) next to the shift. */
  const rankSums = ({ x, cluster }, shift, nClusters, justBelow = false) => {
    const [sums, sizes] = [new Float64Array(nClusters), new Float64Array(nClusters)];
    let above = 0;
    while (above < x.length && (x[above] < shift || (x[above] === shift && !justBelow))) above += 1;
    let below = above - 1;
    while (below >= 0 && x[below] === shift) below -= 1;
    let [rank, squares, nextBelow, nextAbove, before] = [0, 0, -Infinity, Infinity, null];
    while (below >= 0 || above < x.length) {
      const [last, first] = [below, above];
      const down = below >= 0 ? shift - x[below] : Infinity;
      const up = above < x.length ? x[above] - shift : Infinity;
      const distance = Math.min(down, up);
      while (below >= 0 && shift - x[below] === distance) below -= 1;
      if (below === last || !justBelow || distance === Infinity) {
        while (above < x.length && x[above] - shift === distance) above += 1;
      }
      const tied = last - below + above - first;
      const shared = rank + (tied + 1) / 2;
      for (let i = below + 1; i <= last; i += 1) { sums[cluster[i]] -= shared; sizes[cluster[i]] += 1; }
      for (let i = first; i < above; i += 1) { sums[cluster[i]] += shared; sizes[cluster[i]] += 1; }
      rank += tied;
      squares += tied * shared ** 2;
      const positive = below === last;
      const value = positive ? x[first] : x[last];
      if (before === null || before.positive !== positive) {
        const walsh = before === null ? value : (before.value + value) / 2;
        if (positive) nextAbove = Math.min(nextAbove, walsh); else nextBelow = Math.max(nextBelow, walsh);
      }
      before = { value, positive };
    }
    return { sums, sizes, squares, nextBelow, nextAbove };
  };

  /* Rosner, Glynn and Lee's test of a pair: Z as a function of the signs of all datasets, and the
     variance inflation of each dataset without a change of sign. */
  const rosnerGlynnLee = ({ sums, sizes, squares }) => {
    const units = [...sizes.keys()].filter((unit) => sizes[unit] > 0).sort((one, other) => sizes[one] - sizes[other]);
    const own = Float64Array.from(units, (unit) => sums[unit]);
    const distinct = [...new Set(units.map((unit) => sizes[unit]))];
    const ends = distinct.map((size) => units.filter((unit) => sizes[unit] <= size).length);
    const squaredSums = distinct.map((size) => sum(units.map((unit) => (sizes[unit] === size ? sums[unit] ** 2 : 0))));
    const [m, n, balanced] = [units.length, sum(sizes), distinct.length < 2];
    const between = sum(units.map((unit) => sums[unit] ** 2 / sizes[unit]));
    const within = Math.max(0, squares - between) / (n - m);
    const typicalSize = (n - sum(units.map((unit) => sizes[unit] ** 2)) / n) / (m - 1);
    const correction = (total) => {
      if (balanced) return 0;
      /* Where all signed ranks are equal, each dataset counts as one observation. */
      if (squares - total ** 2 / n <= 1e-9 * squares) return 1;
      const spread = ((between - total ** 2 / n) / (m - 1) - within) / typicalSize;
      const rho = Math.min(1, Math.max(0, spread / (spread + within)));
      return Math.min(1, rho * (1 + (1 - rho ** 2) / (m - 2.5)));
    };
    const bySize = new Float64Array(distinct.length);
    const z = (signs) => {
      let [total, unit] = [0, 0];
      for (let group = 0; group < ends.length; group += 1) {
        let part = 0;
        for (; unit < ends[group]; unit += 1) part += signs[units[unit]] * own[unit];
        bySize[group] = part;
        total += part;
      }
      const corrected = correction(total);
      let [statistic, variance] = [0, 0];
      for (let group = 0; group < ends.length; group += 1) {
        const inflation = 1 + (distinct[group] - 1) * corrected;
        if (inflation <= 0) return NaN;
        statistic += bySize[group] / inflation;
        variance += squaredSums[group] / inflation ** 2;
      }
      return statistic / Math.sqrt(variance);
    };
    const observed = m < 2 ? NaN : z(new Float64Array(sizes.length).fill(1));
    const corrected = correction(sum(own));
    const inflation = sizes.map((size) => Math.max(size, 1)).map((size) => 1 + (size - 1) * corrected);
    return { z, observed, inflation: inflation.map((value) => (value > 0 ? value : 1)) };
  };

  /* Hodges-Lehmann shift, where Z with the weights of no shift passes zero, by bisection of Walsh
     averages; 0 where failures leave no finite shift. */
  const shiftOf = (differences, inflation) => {
    const finite = differences.x.filter(Number.isFinite);
    if (!finite.length) return 0;
    const whole = finite.every(Number.isInteger);
    const at = (shift) => {
      const { sums, nextBelow, nextAbove } = rankSums(differences, shift, inflation.length, true);
      let [total, variance] = [0, 0];
      for (let i = 0; i < sums.length; i += 1) {
        const part = sums[i] / inflation[i];
        total += part;
        variance += part ** 2;
      }
      const z = variance > 0 ? total / Math.sqrt(variance) : 0;
      return { sign: Math.abs(z) <= ZERO ? 0 : Math.sign(z), nextBelow, nextAbove };
    };
    const [start, stop] = [at(finite[0]), at(finite.at(-1) + Math.max(1, Math.abs(finite.at(-1))))];
    if (start.sign <= 0 || stop.sign >= 0) return 0;
    let [left, right, found] = [start.nextAbove, stop.nextBelow, stop];
    while (left < right) {
      let middle = (left + right) / 2;
      if (whole) middle = Math.ceil(2 * middle) / 2;
      if (!(middle > left && middle <= right)) middle = right;
      const point = at(middle);
      if (point.sign > 0) left = Math.max(point.nextAbove, middle);
      else {
        found = point;
        /* Rounding of raw differences must not make an end stay where it is. */
        right = Math.min(point.nextBelow, middle - Math.abs(middle) * 2 ** -52 - Number.MIN_VALUE);
      }
    }
    return found.sign === 0 ? (right + found.nextAbove) / 2 : right;
  };

  /* The pairs a < b with Z as observed, and as a function of signs: of the differences as they are
     and of the differences centred at their shift. */
  const preparePairs = (scores, clusters, nClusters, { tolerance, control }) => {
    const pairs = [];
    for (let a = 0; a < scores[0].length; a += 1) {
      for (let b = a + 1; b < scores[0].length; b += 1) {
        pairs.push({ a, b, differences: differencesOf(scores, clusters, a, b, tolerance) });
      }
    }
    return pairs.filter(({ a, b }) => control === null || a === control || b === control).map(({ a, b, differences }) => {
      const ranked = rankSums(differences, 0, nClusters);
      const found = rosnerGlynnLee(ranked);
      if (Number.isNaN(found.observed)) {
        return { a, b, z: 0, p: differences.nKnown > 1 ? 1 : NaN, samples: null };
      }
      const shift = shiftOf(differences, found.inflation);
      const centred = rosnerGlynnLee(rankSums(differences, shift, nClusters));
      /* Flips of the datasets in which a pair differs can give no smaller p-value. */
      const least = 2 ** (1 - ranked.sizes.filter((size) => size > 0).length);
      return { a, b, z: found.observed, p: NaN, least, samples: [found.z, centred.z] };
    });
  };

  /* NumPy's PCG64 from its state; eight random bits per step, the top one of each byte. */
  const randomBits = ({ state, increment }) => {
    const mask = (1n << 128n) - 1n;
    const [multiplier, step] = [0x2360ed051fc65da44385df649fccf645n, BigInt(increment)];
    let at = BigInt(state);
    let buffer = [];
    return () => {
      if (!buffer.length) {
        at = (at * multiplier + step) & mask;
        const [high, turn] = [at >> 64n, at >> 122n];
        const mixed = BigInt.asUintN(64, high ^ at);
        const word = BigInt.asUintN(64, (mixed >> turn) | (mixed << ((64n - turn) & 63n)));
        const halves = [Number(word & 0xffffffffn), Number(word >> 32n)];
        buffer = halves.flatMap((half) => [7, 15, 23, 31].map((bit) => (half >>> bit) & 1)).reverse();
      }
      return buffer.pop();
    };
  };

  /* Every vector of signs whose last is positive where these are few, else random ones. */
  const signMaker = (nSigns, nFlips, generator) => {
    const signs = new Float64Array(nSigns);
    if (2 ** (nSigns - 1) <= nFlips) {
      const next = (number) => {
        for (let i = 0; i < nSigns; i += 1) signs[i] = 1 - 2 * ((number >> i) & 1);
        return signs;
      };
      return { count: 2 ** (nSigns - 1), exact: true, next };
    }
    const bit = randomBits(generator);
    const next = () => {
      for (let i = 0; i < nSigns; i += 1) signs[i] = 2 * bit() - 1;
      return signs;
    };
    return { count: nFlips, exact: false, next };
  };

  /* Single-step max-T by flipping the signs of whole datasets; the larger share of both samples. */
  const maxT = (pairs, nClusters, nFlips, generator) => {
    const tested = pairs.filter(({ samples }) => samples);
    const signs = signMaker(nClusters, nFlips, generator);
    const bounds = tested.map(({ z }) => Math.abs(z) - SAME_Z);
    const samples = [0, 1].map((which) => ({
      functions: tested.map((pair) => pair.samples[which]), counts: new Float64Array(tested.length),
    }));
    for (let flip = 0; flip < signs.count; flip += 1) {
      const all = signs.next(flip);
      for (const { functions, counts } of samples) {
        let largest = 0;
        for (let place = 0; place < functions.length; place += 1) {
          /* Not a number where two datasets leave no statistic. */
          const value = Math.abs(functions[place](all));
          if (value > largest) largest = value;
        }
        for (let place = 0; place < bounds.length; place += 1) if (largest >= bounds[place]) counts[place] += 1;
      }
    }
    tested.forEach((pair, place) => {
      const count = Math.max(...samples.map(({ counts }) => counts[place]));
      /* The arrangement that was observed is one of all, and is added to random ones. */
      pair.p = Math.max(pair.least, signs.exact ? count / signs.count : (count + 1) / (signs.count + 1));
    });
  };

  /* Mean ranks, p-values [a][b], and whether a is better than b at the level. */
  const analyse = ({ scores, clusters, alpha, steps, least, flips, generator, ...options }) => {
    const numbers = [...new Set(clusters)].sort((a, b) => a - b);
    const codes = clusters.map((cluster) => numbers.indexOf(cluster));
    const pairs = preparePairs(scores, codes, numbers.length, options);
    const permitted = Math.floor(steps / (10 * pairs.length * (numbers.length + 100)));
    maxT(pairs, numbers.length, Math.min(flips, Math.max(least, permitted)), generator);
    const square = (value) => scores[0].map(() => scores[0].map(() => value));
    const [p, better] = [square(NaN), square(false)];
    for (const pair of pairs) {
      const { a, b, z } = pair;
      p[a][b] = p[b][a] = pair.p;
      if (pair.p <= alpha && z !== 0) better[z > 0 ? a : b][z > 0 ? b : a] = true;
    }
    return { meanRanks: meanRanks(scores, codes, options.tolerance), p, better };
  };

  Object.assign(window.occstats, { analyse, meanRanks, randomBits });
})();
