/** Histories: what clients asked of one key and were answered, with the times of both. */

export interface Operation {
  readonly kind: string;
  readonly input: string;
  /** A second value that the operation depends on, such as the state of `If-Match`. */
  readonly expected?: string | undefined;
  /** The answer; undefined if the outcome is unknown: it may take effect at any later time, or never. */
  readonly output: string | undefined;
  /** Times of one monotonic clock; the end of an unknown outcome is infinite. */
  readonly start: number;
  readonly end: number;
}

export interface Model {
  readonly name: string;
  /**
   * The state after an operation; undefined if its answer is impossible in this state. With an unknown outcome, the state
   * after its effect; undefined if it has none in this state.
   */
  step(state: string, operation: Operation): string | undefined;
}

/** An operation as a client sends it; what it resolves to is the answer, `refused` (nothing was changed) or `unknown`. */
export type Sent = { readonly output: string } | 'refused' | 'unknown';

const reads = ['read', 'check'];

/** The history of one key. */
export class History {
  readonly operations: Operation[] = [];
  readonly key: string;
  readonly model: Model;
  readonly initial: string;

  constructor(key: string, model: Model, initial: string) {
    this.key = key;
    this.model = model;
    this.initial = initial;
  }

  /** Records an operation while it is sent; one that was refused leaves no trace, nor does a read without an answer. @returns its answer, if that is known */
  async record(
    { kind, input, expected }: Pick<Operation, 'kind' | 'input' | 'expected'>,
    send: () => Promise<Sent>,
  ): Promise<string | undefined> {
    const start = performance.now();
    const sent = await send();
    const end = performance.now();
    if (sent === 'refused' || (sent === 'unknown' && reads.includes(kind))) return undefined;
    const output = sent === 'unknown' ? undefined : sent.output;
    this.operations.push({
      kind,
      input,
      expected,
      output,
      start,
      end: output === undefined ? Number.POSITIVE_INFINITY : end,
    });
    return output;
  }
}

export function formatOperation({ kind, input, expected, output, start, end }: Operation): string {
  const condition = expected === undefined ? '' : ` if ${expected || 'absent'}`;
  const until = Number.isFinite(end) ? end.toFixed(1) : 'unknown';
  return `${start.toFixed(1)} to ${until}: ${kind} ${input}${condition} -> ${output === '' ? 'absent' : (output ?? 'unknown')}`;
}
