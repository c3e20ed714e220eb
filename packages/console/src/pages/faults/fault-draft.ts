/** A fault rule as it is typed, and as the server, the command and the URL express it. */
import type { paths } from '#control-api';
import {
  type FaultPreset,
  type FaultTarget,
  type faultBodies,
  type faultDrops,
  faultEffects,
  faultPresetNames,
  faultPresets,
  faultTargetNames,
  isDocumentTarget,
} from '../../../../../src/contract/testing/fault-effects.ts';
import { quoteShellArgument } from '../../components/equivalents.tsx';

export type FaultBodyInput = NonNullable<paths['/faults']['post']['requestBody']>['content']['application/json'];

export const effectLabels = {
  preset: 'A preset',
  status: 'Respond with an error status',
  body: 'Replace the body',
  latency: 'Delay the response',
  drop: 'Close the connection',
  redirect: 'Redirect',
  rotateKey: 'Rotate the signing key',
  staleKeys: 'Serve the previous key set',
  missingKey: 'Serve keys without the current one',
} as const;

export const faultSelections = {
  all: 'Every matching request',
  nth: 'Only the nth request',
  every: 'Every nth request',
  probability: 'With a probability',
} as const;

export interface FaultDraft {
  /** Id of an operation, or name of a target. */
  readonly operation: string;
  readonly caller: string;
  readonly effect: keyof typeof effectLabels;
  readonly preset: FaultPreset;
  readonly status: string;
  readonly retryAfter: string;
  readonly body: (typeof faultBodies)[number] | '';
  readonly redirect: string;
  readonly latency: string;
  readonly jitter: string;
  readonly drop: (typeof faultDrops)[number];
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
  preset: faultPresetNames[0] as FaultPreset,
  status: '503',
  retryAfter: '',
  body: '',
  redirect: '/',
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

/** Whether the effect can be on an operation. */
export function hasOperation({ effect }: FaultDraft): boolean {
  return effect !== 'staleKeys' && effect !== 'missingKey';
}

/** Documents need no caller. */
export function hasCaller(draft: FaultDraft): boolean {
  const { effect, preset, operation } = draft;
  const target = effect === 'preset' && operation === '' ? targetOfPreset(preset) : findTarget(operation);
  return hasOperation(draft) && !isDocumentTarget(target);
}

function targetOfPreset(preset: FaultPreset): FaultTarget | undefined {
  const { rule } = faultPresets[preset];
  return 'target' in rule ? rule.target : undefined;
}

function findTarget(name: string): FaultTarget | undefined {
  return faultTargetNames.find((target) => target === name);
}

/** The body of the request. Texts that are no numbers are sent as they are, so that the server explains the error. */
export function toFaultBody(draft: FaultDraft): FaultBodyInput {
  const { operation, caller, selection, seed, times, effect, preset } = draft;
  const field = findTarget(operation) ? 'target' : 'operation';
  const fields = {
    ...(hasOperation(draft) ? { [field]: operation } : {}),
    ...(hasCaller(draft) ? { caller } : {}),
    ...(selection === 'all' ? {} : { [selection]: toNumber(draft[selection]) }),
    ...(isRandom(draft) ? { seed: toNumber(seed) } : {}),
    times: toNumber(times),
  };
  const given = Object.entries(fields).filter(([, value]) => value !== '');
  return { ...Object.fromEntries(given), ...(effect === 'preset' ? { preset } : { effect: toEffect(draft) }) };
}

function toEffect(draft: FaultDraft): FaultBodyInput['effect'] {
  const { effect, status, retryAfter, latency, jitter, drop, redirect } = draft;
  const body = draft.body === '' ? {} : { body: draft.body };
  if (effect === 'status') {
    const added = retryAfter === '' ? {} : { retryAfter: toNumber(retryAfter) as number };
    return { status: toNumber(status) as number, ...added, ...body };
  }
  if (effect === 'body') return draft.body === '' ? { body: 'html' } : body;
  if (effect === 'redirect') return { redirect };
  if (effect === 'latency') return { latency, ...(jitter === '' ? {} : { jitter }) };
  if (effect === 'drop') return { drop };
  return { [effect]: true };
}

function toNumber(text: string): number | string {
  const trimmed = text.trim();
  return trimmed === '' || Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed);
}

const optionNames: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(faultEffects).map(([name, { option }]) => [name, option.replace(/^--| .*/g, '')]),
);

/** The command without `iam`. */
export function formatFaultCommand({ effect, ...rule }: FaultBodyInput): string {
  const options = Object.entries({ ...rule, ...effect }).map(([name, value]) => {
    const option = ` --${optionNames[name] ?? name}`;
    return value === true ? option : `${option} ${quoteShellArgument(String(value))}`;
  });
  return `faults add${options.join('')}`;
}

/** The fields of an effect by their paths in the body: `effect.status` is `status`. */
export const faultFieldNames = Object.fromEntries(Object.keys(emptyDraft).map((name) => [`effect.${name}`, name]));
