/** The mainframe: logons of the store, or a real one over HTTP. */
import type { PortParts } from './ports.ts';

export type Mainframe = Record<never, never>;

export function createMainframe(_parts: PortParts): Mainframe {
  return {};
}
