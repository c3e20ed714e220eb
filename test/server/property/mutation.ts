/** A mutation of a request and its expected result. */
import type { Draft, Draw, RequestSource } from './request-generator.ts';

/** A mutated request. */
export interface MutatedRequest {
  readonly draft: Draft;
  /** The request must be rejected. */
  readonly isRejected?: boolean;
  /** The expected statuses, where they do not depend on the operation. */
  readonly statuses?: readonly number[];
  /** The field that the error must name. */
  readonly field?: string | undefined;
}

/** Undefined where the mutation does not apply to the operation. */
export type Mutation = (draw: Draw, draft: Draft, source: RequestSource) => MutatedRequest | undefined;

/** The draft with these headers, which replace those of the same names. */
export function withHeaders(draft: Draft, ...headers: readonly (readonly [string, string])[]): Draft {
  const names = headers.map(([name]) => name.toLowerCase());
  return { ...draft, headers: [...draft.headers.filter(([name]) => !names.includes(name.toLowerCase())), ...headers] };
}
