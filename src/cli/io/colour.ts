/** Color detection: flag, NO_COLOR, FORCE_COLOR, then whether the stream is a terminal. */
import { Chalk, type ChalkInstance } from 'chalk';
import type { Environment, OutputStream } from './io.ts';

/** Creates a chalk instance for a stream; `mode` is auto, always or never. */
export function createColours(stream: OutputStream, environment: Environment, mode = 'auto'): ChalkInstance {
  return new Chalk({ level: isColoured(stream, environment, mode) ? 1 : 0 });
}

function isColoured(stream: OutputStream, { variables }: Environment, mode: string): boolean {
  if (mode !== 'auto') return mode === 'always';
  if (variables.NO_COLOR) return false;
  const forced = variables.FORCE_COLOR;
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  return stream.isTTY === true && variables.TERM !== 'dumb';
}
