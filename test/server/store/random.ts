/** Returns numbers from 0 up to, not including, 1. */
export type Random = () => number;

/** A deterministic random generator (linear congruential generator). */
export function createSeededRandom(seed: number): Random {
  let state = BigInt(seed) * 2_654_435_761n + 12_345n;
  return () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n;
    return Number(state >> 11n) / 2 ** 53;
  };
}

/** A whole number from `low` up to, not including, `high`. */
export function between(random: Random, low: number, high: number): number {
  return low + Math.floor(random() * (high - low));
}
