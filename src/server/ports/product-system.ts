/** The product system: products of the store, or a real one over HTTP. */
import type { PortParts } from './ports.ts';

export type ProductSystem = Record<never, never>;

export function createProductSystem(_parts: PortParts): ProductSystem {
  return {};
}
