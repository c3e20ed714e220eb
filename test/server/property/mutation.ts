/** What a mutation of a request is, and what it must come to. */
import type { Draft, Draw, RequestSource } from './request-generator.ts';

/** A spoilt request. */
export interface MutatedRequest {
  readonly draft: Draft;
  /** It has to be refused. */
  readonly isRejected?: boolean;
  /** The statuses it may be refused with, where that does not depend on the operation. */
  readonly statuses?: readonly number[];
  /** What a refusal has to name. */
  readonly field?: string | undefined;
}

/** Undefined where the operation has nothing that could be spoilt so. */
export type Mutation = (draw: Draw, draft: Draft, source: RequestSource) => MutatedRequest | undefined;

/** The draft with these headers in the place of those of the same names. */
export function withHeaders(draft: Draft, ...headers: readonly (readonly [string, string])[]): Draft {
  const names = headers.map(([name]) => name.toLowerCase());
  return { ...draft, headers: [...draft.headers.filter(([name]) => !names.includes(name.toLowerCase())), ...headers] };
}
