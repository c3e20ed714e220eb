/** Request and response schemas of injected faults. */
import * as z from 'zod';
import { definition } from '../../../../contract/entities.ts';
import { apiError } from '../../../../contract/errors.ts';
import { exampleInt, exampleText, Id } from '../../../../contract/schemas/primitives.ts';
import {
  type FaultEffectName,
  faultAuthorizations,
  faultBodies,
  faultDrops,
  faultEffects,
  faultPresetNames,
  faultPresets,
  faultTargetNames,
  formatTargets,
  isDocumentTarget,
  isSingleEffect,
  listEffects,
  scopeOfEffect,
} from '../../../../contract/testing/fault-effects.ts';
import type { FaultInjector } from '../../../fault-injection/fault-injector.ts';
import type { FaultEffect, FaultRule, FaultRuleInput } from '../../../fault-injection/fault-rules.ts';
import { type RecordedId, RecordedOperationId } from '../../operation-ids.ts';

const maxMs = 60_000;

const Duration = z
  .string()
  .regex(/^\d{1,5}(ms|s)$/, 'must be a time such as 200ms or 2s')
  .refine((text) => parseMilliseconds(text) <= maxMs, 'must be at most 60s');

const describe = (name: FaultEffectName) => ({ description: faultEffects[name].description });

const EffectFields = {
  status: z
    .int()
    .min(400, 'must be from 400 to 599')
    .max(599, 'must be from 400 to 599')
    .optional()
    .meta({ ...describe('status'), examples: [503] }),
  retryAfter: z
    .int()
    .min(0, 'must be from 0 to 86400')
    .max(86_400, 'must be from 0 to 86400')
    .optional()
    .meta({ ...describe('retryAfter'), examples: [30] }),
  body: z.enum(faultBodies).optional().meta(describe('body')),
  latency: Duration.optional().meta({ ...describe('latency'), examples: ['200ms'] }),
  jitter: Duration.optional().meta({ ...describe('jitter'), examples: ['50ms'] }),
  drop: z.enum(faultDrops).optional().meta(describe('drop')),
  redirect: z
    .string()
    .max(2000, 'must have at most 2000 characters')
    .regex(/^(https?:\/\/|\/)[!-~]*$/, 'must be a path or a URL: /login, https://login.example/')
    .optional()
    .meta({ ...describe('redirect'), examples: ['/login'] }),
  authorization: z.enum(faultAuthorizations).optional().meta(describe('authorization')),
  rotateKey: z.literal(true).optional().meta(describe('rotateKey')),
  staleKeys: z.literal(true).optional().meta(describe('staleKeys')),
  missingKey: z.literal(true).optional().meta(describe('missingKey')),
};

const EffectSchema = z
  .strictObject(EffectFields)
  .refine((effect) => isSingleEffect(listDefined(effect)), `must be one of ${listEffects((name) => name)}`);

const RuleFields = {
  operation: RecordedOperationId.optional().meta({
    description: 'Only requests to this operation, such as groups.create',
    examples: ['groups.get'],
  }),
  target: z
    .enum(faultTargetNames)
    .optional()
    .meta({ description: `Only requests to ${formatTargets()}` }),
  caller: Id.optional().meta({
    description: 'Only requests of the client or user with this id',
    examples: ['billing-service'],
  }),
  nth: z.int().min(1, 'must be at least 1').optional().describe('Only the nth matching request, from 1'),
  every: z
    .int()
    .min(1, 'must be at least 1')
    .optional()
    .meta({ description: 'Every nth matching request', examples: [3] }),
  probability: z
    .number()
    .min(0, 'must be from 0 to 1')
    .max(1, 'must be from 0 to 1')
    .optional()
    .describe('Probability that a matching request is affected, from 0 to 1; the same requests for the same seed'),
  seed: z
    .int()
    .min(0, 'must not be negative')
    .optional()
    .meta({ description: 'Seed of the random numbers for probability and jitter; default 1', examples: [7] }),
  times: z.int().min(1, 'must be at least 1').optional().describe('Max number of affected requests'),
};

export const FaultInput = z
  .strictObject({
    ...RuleFields,
    preset: z
      .enum(faultPresetNames)
      .optional()
      .meta({ description: `A rule with a name, to which the other fields add. ${formatPresets()}` }),
    effect: EffectSchema.optional().describe('One effect, with those that add to it'),
  })
  .refine(
    ({ nth, every, probability }) => countDefined([nth, every, probability]) <= 1,
    'must have at most one of nth, every and probability',
  )
  .refine(({ preset, effect }) => countDefined([preset, effect]) === 1, 'must have either effect or preset')
  .refine(
    ({ operation, target }) => countDefined([operation, target]) <= 1,
    'must have at most one of operation and target',
  )
  .superRefine((rule, context) => {
    const { operation, caller, target, effect } = applyPreset(rule);
    const scope = scopeOfEffect(listDefined(effect));
    const isDocument = scope === 'jwks' || isDocumentTarget(target);
    const addIssue = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (scope === 'jwks' && operation !== undefined)
      addIssue('operation', 'must be absent: the effect is on the key set');
    if (scope === 'jwks' && target !== undefined && target !== 'jwks')
      addIssue('target', 'must be jwks for this effect');
    if (scope === 'operations' && isDocument) addIssue('target', 'must not be a document: the effect is on operations');
    if (isDocument && caller !== undefined) addIssue('caller', 'must be absent: documents need no caller');
  });

type FaultInputBody = z.output<typeof FaultInput>;

export const FaultItem = z.strictObject({
  id: exampleText('64b0c0ffee00000000000001').meta(definition('fault', 'id')),
  ...RuleFields,
  effect: z.strictObject(EffectFields),
  matched: exampleInt(3, 'Requests that matched'),
  applied: exampleInt(1, 'Requests that were affected'),
});

function countDefined(values: readonly unknown[]): number {
  return values.filter((value) => value !== undefined).length;
}

function listDefined(values: object): string[] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

function formatPresets(): string {
  return Object.entries(faultPresets)
    .map(([name, { description }]) => `${name}: ${description}.`)
    .join(' ');
}

type EffectBody = z.output<typeof EffectSchema>;

/** The rule with the fields of its preset. Its own operation or target replaces that of the preset. */
function applyPreset({
  preset,
  ...rule
}: FaultInputBody): Omit<FaultInputBody, 'preset' | 'effect'> & { readonly effect: EffectBody } {
  const { target, ...fields }: Omit<FaultInputBody, 'preset' | 'operation'> =
    preset === undefined ? {} : faultPresets[preset].rule;
  const isTargeted = rule.operation !== undefined || rule.target !== undefined;
  const effect = rule.effect ?? fields.effect ?? {};
  return { ...fields, ...(target === undefined || isTargeted ? {} : { target }), ...rule, effect };
}

/** @throws IamError FAULT_NOT_FOUND. */
export function removeFault(faults: FaultInjector, id: string): void {
  if (!faults.remove(id)) throw apiError('FAULT_NOT_FOUND');
}

export function parseFaultRule(body: FaultInputBody): FaultRuleInput {
  const { effect, ...rule } = applyPreset(body);
  const { latency, jitter, ...others } = effect;
  const isOfKeySet = scopeOfEffect(listDefined(effect)) === 'jwks';
  return {
    ...rule,
    ...(isOfKeySet ? { target: 'jwks' } : {}),
    effect: { ...others, ...parseTimes({ latency, jitter }) },
  };
}

function parseTimes(times: Readonly<Record<'latency' | 'jitter', string | undefined>>): FaultEffect {
  const entries = Object.entries(times).filter(([, text]) => text !== undefined);
  return Object.fromEntries(entries.map(([name, text]) => [name, parseMilliseconds(text ?? '')]));
}

export function toFaultItem({ effect, operation, ...rule }: FaultRule): z.input<typeof FaultItem> {
  const { latency, jitter, ...others } = effect;
  return {
    ...rule,
    ...(operation === undefined ? {} : { operation: operation as RecordedId }),
    effect: {
      ...others,
      ...(latency === undefined ? {} : { latency: `${latency}ms` }),
      ...(jitter === undefined ? {} : { jitter: `${jitter}ms` }),
    },
  };
}

function parseMilliseconds(text: string): number {
  return Number.parseInt(text, 10) * (text.endsWith('ms') ? 1 : 1000);
}
