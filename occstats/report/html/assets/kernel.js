"use strict";
/* Mean ranks and p-values of any part of the table, equal to those of Python.

   Scores are rows of numbers, higher is better, NaN where there is none; clusters number the data
   sets of the rows in the order in which Python numbers them, so that the same random signs fall
   on the same data sets. */
(() => {
  /* Values of Z closer than this are the same arrangement, reached by another order of additions. */
  const SAME_Z = 1e-10;

  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const halfEven = (value) => {
    const floor = Math.floor(value);
    const rest = value - floor;
    return rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
  };
  const onGrid = (value, tolerance) => (tolerance === 0 ? value : halfEven(value / tolerance));

  /* Average ranks, 1 for the lowest. */
  const ranksOf = (values) => {
    const order = values.map((_, place) => place).sort((a, b) => values[a] - values[b]);
    const ranks = new Array(values.length);
    for (let start = 0, end; start < order.length; start = end) {
      for (end = start + 1; end < order.length && values[order[end]] === values[order[start]];) end += 1;
      for (let place = start; place < end; place += 1) ranks[order[place]] = (start + 1 + end) / 2;
    }
    return ranks;
  };

  /* P(N > z), each tail from its own side, so that small ones keep their digits. */
  const upperTail = (z) => {
    const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
    if (z < 0) return 1 - upperTail(-z);
    if (z < 3) {
      let [term, total] = [z, z];
      for (let n = 3; term > total * 1e-18; n += 2) { term *= (z * z) / n; total += term; }
      return 0.5 - density * total;
    }
    let fraction = z;
    for (let n = 150; n > 0; n -= 1) fraction = z + n / fraction;
    return density / fraction;
  };

  /* Mean ranks on the tasks that all have, every data set weighing the same. */
  const meanRanks = (scores, clusters, tolerance) => {
    const whole = scores.map((_, task) => task).filter((task) => !scores[task].some(Number.isNaN));
    const sizes = new Map();
    for (const task of whole) sizes.set(clusters[task], (sizes.get(clusters[task]) ?? 0) + 1);
    const means = new Array(scores[0].length).fill(0);
    for (const task of whole) {
      const weight = 1 / (sizes.get(clusters[task]) * sizes.size);
      ranksOf(scores[task].map((score) => -onGrid(score, tolerance)))
        .forEach((rank, place) => { means[place] += weight * rank; });
    }
    return whole.length ? means : means.fill(NaN);
  };

  /* Sums of signed ranks of one pair by data set; those without a difference are not there. */
  const rankSums = (scores, clusters, a, b, tolerance, nClusters) => {
    const known = scores.map((row, task) => [onGrid(row[a] - row[b], tolerance), clusters[task]])
      .filter(([difference]) => !Number.isNaN(difference));
    const kept = known.filter(([difference]) => difference !== 0);
    const ranks = ranksOf(kept.map(([difference]) => Math.abs(difference)));
    const [sums, sizes] = [new Float64Array(nClusters), new Float64Array(nClusters)];
    let squares = 0;
    kept.forEach(([difference, cluster], place) => {
      sums[cluster] += Math.sign(difference) * ranks[place];
      sizes[cluster] += 1;
      squares += ranks[place] ** 2;
    });
    const units = [...sizes.keys()].filter((cluster) => sizes[cluster] > 0);
    return {
      allZero: known.length > 0 && kept.length === 0, squares, units,
      sums: units.map((unit) => sums[unit]), sizes: units.map((unit) => sizes[unit]),
    };
  };

  /* Rosner, Glynn and Lee's Z as a function of the signs of the data sets of a pair. */
  const statistic = ({ sums, sizes, squares }) => {
    const m = sums.length;
    if (m < 2) return () => NaN;
    const distinct = [...new Set(sizes)].sort((a, b) => a - b);
    const group = sizes.map((size) => distinct.indexOf(size));
    const squaredSums = sum(sums.map((value) => value ** 2));
    if (squaredSums === 0) return () => NaN;
    if (distinct.length === 1) {
      const root = Math.sqrt(squaredSums);
      return (signs) => { let t = 0; for (let i = 0; i < m; i += 1) t += signs[i] * sums[i]; return t / root; };
    }
    const n = sum(sizes);
    const squaresBySize = distinct.map(() => 0);
    group.forEach((place, i) => { squaresBySize[place] += sums[i] ** 2; });
    const between = sum(sums.map((value, i) => value ** 2 / sizes[i]));
    const typical = (n - sum(sizes.map((size) => size ** 2)) / n) / (m - 1);
    const within = Math.max(0, squares - between) / (n - m);
    const bySize = new Float64Array(distinct.length);
    return (signs) => {
      bySize.fill(0);
      for (let i = 0; i < m; i += 1) bySize[group[i]] += signs[i] * sums[i];
      let total = 0;
      for (const part of bySize) total += part;
      if (squares - total ** 2 / n <= 1e-9 * squares) return NaN;
      const spread = ((between - total ** 2 / n) / (m - 1) - within) / typical;
      const rho = Math.min(1, Math.max(0, spread / (spread + within)));
      const corrected = Math.min(1, rho * (1 + (1 - rho ** 2) / (m - 2.5)));
      let [numerator, variance] = [0, 0];
      for (let place = 0; place < distinct.length; place += 1) {
        const inflation = 1 + (distinct[place] - 1) * corrected;
        if (inflation <= 0) return NaN;
        numerator += bySize[place] / inflation;
        variance += squaresBySize[place] / inflation ** 2;
      }
      return numerator / Math.sqrt(variance);
    };
  };

  /* All pairs a < b: data sets with a difference, Z as it is, and Z as a function of signs. */
  const preparePairs = (scores, clusters, tolerance, nClusters) => {
    const pairs = [];
    const k = scores[0].length;
    for (let a = 0; a < k; a += 1) {
      for (let b = a + 1; b < k; b += 1) {
        const found = rankSums(scores, clusters, a, b, tolerance, nClusters);
        const flipped = statistic(found);
        const z = found.allZero ? 0 : flipped(found.units.map(() => 1));
        pairs.push({ a, b, z, flipped, units: found.units, certain: found.allZero });
      }
    }
    return pairs;
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

  /* Two-sided p-values corrected over all pairs: step-down max-T by flipping whole data sets. */
  const maxT = (pairs, nClusters, nFlips, generator) => {
    const p = pairs.map(({ z }) => (Number.isNaN(z) ? NaN : 1));
    const order = pairs.map((_, place) => place).filter((place) => pairs[place].z)
      .sort((one, other) => Math.abs(pairs[other].z) - Math.abs(pairs[one].z));
    const counts = new Float64Array(order.length);
    const signs = signMaker(nClusters, nFlips, generator);
    const own = order.map((place) => new Float64Array(pairs[place].units.length));
    for (let flip = 0; flip < signs.count; flip += 1) {
      const all = signs.next(flip);
      let largest = 0;
      for (let place = order.length - 1; place >= 0; place -= 1) {
        const { units, flipped, z } = pairs[order[place]];
        for (let i = 0; i < units.length; i += 1) own[place][i] = all[units[i]];
        const value = Math.abs(flipped(own[place]));
        /* An arrangement without a statistic counts as extreme. */
        largest = Math.max(largest, Number.isNaN(value) ? Infinity : value);
        if (largest >= Math.abs(z) - SAME_Z) counts[place] += 1;
      }
    }
    let largest = 0;
    order.forEach((place, index) => {
      /* The arrangement that was observed is one of all, and is added to random ones. */
      const share = signs.exact ? counts[index] / signs.count : (counts[index] + 1) / (signs.count + 1);
      largest = Math.max(largest, share);
      p[place] = largest;
    });
    return p;
  };

  /* Holm's correction of the tests of one row; those not made are no part of the family. */
  const holm = (row) => {
    const order = [...row.keys()].filter((place) => !Number.isNaN(row[place])).sort((a, b) => row[a] - row[b]);
    const adjusted = row.map(() => NaN);
    let largest = 0;
    order.forEach((place, index) => {
      largest = Math.max(largest, row[place] * (order.length - index));
      adjusted[place] = Math.min(1, largest);
    });
    return adjusted;
  };

  const square = (k) => Array.from({ length: k }, () => new Array(k).fill(NaN));

  /* Mean ranks, p-values [a][b], and whether a is better than b at the level. */
  const analyse = ({ scores, clusters, tolerance, family, alpha, budget, flips, generator }) => {
    const [k, nClusters] = [scores[0].length, new Set(clusters).size];
    const numbers = [...new Set(clusters)].sort((a, b) => a - b);
    const codes = clusters.map((cluster) => numbers.indexOf(cluster));
    const pairs = preparePairs(scores, codes, tolerance, nClusters);
    let p = square(k);
    const z = square(k);
    for (const pair of pairs) [z[pair.a][pair.b], z[pair.b][pair.a]] = [pair.z, -pair.z];
    if (family === "row") {
      for (const { a, b, z: found, certain } of pairs) {
        [p[a][b], p[b][a]] = certain ? [1, 1] : [upperTail(found), upperTail(-found)];
      }
      p = p.map(holm);
    } else {
      const affordable = Math.min(flips, Math.floor(budget / (pairs.length * nClusters)));
      maxT(pairs, nClusters, affordable, generator).forEach((value, place) => {
        const { a, b } = pairs[place];
        [p[a][b], p[b][a]] = [value, value];
      });
    }
    const better = p.map((row, a) => row.map((value, b) => value <= alpha && (family === "row" || z[a][b] > 0)));
    return { meanRanks: meanRanks(scores, codes, tolerance), p, z, better };
  };

  Object.assign(window.occstats, { analyse, randomBits, upperTail });
})();
