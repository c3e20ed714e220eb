/** What the answer to a change means for the state. */

export interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
  /** The header Link: the next page of a list. */
  readonly link?: string | undefined;
}

/**
 * `acknowledged`: the change was made. `refused`: nothing was changed. `unknown`: either. `wrong`: an answer that no
 * failure of the database explains, since every change of the suite is valid.
 */
export type Verdict =
  | { readonly kind: 'acknowledged' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unknown'; readonly by: 'server' | 'connection' }
  | { readonly kind: 'wrong'; readonly problem: string };

/** @param answer undefined if the connection was lost before it arrived */
export function judgeAnswer(answer: HttpAnswer | undefined): Verdict {
  if (answer === undefined) return { kind: 'unknown', by: 'connection' };
  const { status, retryAfter, body } = answer;
  if (status >= 200 && status < 300) return { kind: 'acknowledged' };
  const code = readCode(body);
  // The balancer has no codes: it lost the connection to the server, or found none.
  if (code === undefined && [502, 503, 504].includes(status)) return { kind: 'unknown', by: 'connection' };
  if (status !== 503) return { kind: 'wrong', problem: `${status} ${body.slice(0, 200)}` };
  if (code !== 'OUTCOME_UNKNOWN')
    return retryAfter === undefined ? { kind: 'wrong', problem: '503 without Retry-After' } : { kind: 'refused' };
  if (retryAfter !== undefined) return { kind: 'wrong', problem: 'OUTCOME_UNKNOWN with Retry-After' };
  return { kind: 'unknown', by: 'server' };
}

function readCode(body: string): string | undefined {
  try {
    const [first] = JSON.parse(body) as { code?: string }[];
    return first?.code;
  } catch {
    return undefined;
  }
}
