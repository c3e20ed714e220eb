/** A fault rule as it is typed, and as the server, the command and the URL express it. */
import type { paths } from '#control-api';
import { quoteShellArgument } from '../../components/equivalents.tsx';

export type FaultBodyInput = NonNullable<paths['/faults']['post']['requestBody']>['content']['application/json'];

export const faultEffects = {
  status: 'Respond with an error status',
  latency: 'Delay the response',
  drop: 'Close the connection',
  rotateKey: 'Rotate the signing key',
  staleKeys: 'Serve the previous key set',
} as const;

export const faultSelections = {
  all: 'Every matching request',
  nth: 'Only the nth request',
  every: 'Every nth request',
  probability: 'With a probability',
} as const;

export interface FaultDraft {
  readonly operation: string;
  readonly caller: string;
  readonly effect: keyof typeof faultEffects;
  readonly status: string;
  readonly latency: string;
  readonly jitter: string;
  readonly drop: 'before' | 'after';
  readonly selection: keyof typeof faultSelections;
  readonly nth: string;
  readonly every: string;
  readonly probability: string;
  readonly seed: string;
  readonly times: string;
}

export const emptyDraft: FaultDraft = {
  operation: '',
  caller: '',
  effect: 'status',
  status: '503',
  latency: '200ms',
  jitter: '',
  drop: 'before',
  selection: 'all',
  nth: '1',
  every: '2',
  probability: '0.5',
  seed: '',
  times: '',
};

/** Whether random numbers decide anything. */
export function isRandom({ selection, effect, jitter }: FaultDraft): boolean {
  return selection === 'probability' || (effect === 'latency' && jitter !== '');
}

/** Fetching the key set is no operation and needs no caller. */
export function hasTarget({ effect }: FaultDraft): boolean {
  return effect !== 'staleKeys';
}

/** The body of the request. Texts that are no numbers are sent as they are, so that the server explains the error. */
export function toFaultBody(draft: FaultDraft): FaultBodyInput {
  const { operation, caller, selection, seed, times } = draft;
  const fields = {
    ...(hasTarget(draft) ? { operation, caller } : {}),
    ...(selection === 'all' ? {} : { [selection]: toNumber(draft[selection]) }),
    ...(isRandom(draft) ? { seed: toNumber(seed) } : {}),
    times: toNumber(times),
  };
  const given = Object.entries(fields).filter(([, value]) => value !== '');
  return { ...Object.fromEntries(given), effect: toEffect(draft) };
}

function toEffect({ effect, status, latency, jitter, drop }: FaultDraft): FaultBodyInput['effect'] {
  if (effect === 'status') return { status: toNumber(status) as number };
  if (effect === 'latency') return { latency, ...(jitter === '' ? {} : { jitter }) };
  if (effect === 'drop') return { drop };
  return { [effect]: true };
}

function toNumber(text: string): number | string {
  const trimmed = text.trim();
  return trimmed === '' || Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed);
}

const optionNames: Readonly<Record<string, string>> = {
  status: 'fail',
  rotateKey: 'rotate-key',
  staleKeys: 'stale-keys',
};

/** The command without `iam`. */
export function formatFaultCommand({ effect, ...rule }: FaultBodyInput): string {
  const options = Object.entries({ ...rule, ...effect }).map(([name, value]) => {
    const option = ` --${optionNames[name] ?? name}`;
    return value === true ? option : `${option} ${quoteShellArgument(String(value))}`;
  });
  return `faults add${options.join('')}`;
}

/** The field of the form for a field of the body: `effect.status` is `status`. */
export function fieldOfForm(field: string | undefined): keyof FaultDraft | undefined {
  const name = field?.replace(/^effect\./, '');
  return name !== undefined && name !== 'effect' && name in emptyDraft ? (name as keyof FaultDraft) : undefined;
}
