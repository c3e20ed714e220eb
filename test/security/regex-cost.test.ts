/**
 * Every pattern of the contract costs time in proportion to the text: eight times the text, about eight times the time.
 * A pattern that backtracks on a hostile text needs 64 times as long, or never ends.
 */
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { JsonSchema } from '../../src/contract/manifest-types.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { controlRoutes } from '../../src/server/control/routes/index.ts';
import { operations } from '../../src/server/operations/index.ts';
import { SeedDocument } from '../../src/server/seed/schema.ts';
import { isFullRun } from '../effort.ts';
import { toJsonSchema } from '../server/property/request-generator.ts';

const all: readonly Operation<never>[] = [
  ...Object.values(operations),
  ...(controlRoutes as unknown as Operation<never>[]),
];

/** The schemas of all request input. */
const inputSchemas = all.flatMap(({ request }) => [
  ...(request.body ? [request.body] : []),
  ...Object.values({ ...request.params, ...request.query, ...request.headers }),
]);

function patternsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { pattern } = schema as JsonSchema;
  return [...(typeof pattern === 'string' ? [pattern] : []), ...Object.values(schema).flatMap(patternsIn)];
}

const seedSchema = z.toJSONSchema(SeedDocument, { io: 'input', unrepresentable: 'any' });
const patterns = [...new Set([...inputSchemas.map(toJsonSchema), seedSchema].flatMap(patternsIn))];

/** Texts that cause backtracking: long runs of a repeated part, with an end that does not match. */
const hostile = [
  'a',
  'A',
  '0',
  ' ',
  '.',
  '-',
  '@',
  'a@',
  'a.',
  '%',
  '/',
  '=',
  '+',
  'a b',
  '://',
  'é',
  '\ud83e\udd8a',
  '\0',
  '_',
  'a-',
];

function timeOf(pattern: RegExp, text: string): number {
  let best = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 5; turn += 1) {
    const startedAt = performance.now();
    pattern.test(text);
    best = Math.min(best, performance.now() - startedAt);
  }
  return best;
}

const short = 2_000;
/** Below this number of milliseconds the clock is too coarse for a comparison. */
const minMeasurableMs = 5;

/** The ratio of the times for 16 KB and 2 KB of text: 8 where it is linear, 64 where it is quadratic. */
function growthOf(source: string): number {
  const pattern = new RegExp(source, 'u');
  const growths = hostile.map((unit) => {
    const text = (length: number) => `${unit.repeat(Math.ceil(length / unit.length)).slice(0, length)}\u0001`;
    const long = timeOf(pattern, text(8 * short));
    return long < minMeasurableMs ? 0 : long / Math.max(timeOf(pattern, text(short)), minMeasurableMs / 640);
  });
  return Math.max(...growths);
}

test('finds patterns in the contract', () => {
  expect(patterns.length).toBeGreaterThan(10);
});

test.runIf(isFullRun)('detects a pattern with a quadratic cost', () => {
  expect(growthOf('a*b$')).toBeGreaterThan(25);
  expect(growthOf('^a*b$')).toBeLessThan(25);
});

test.each(patterns)('matches hostile texts in linear time: %s', (source) => {
  expect(growthOf(source)).toBeLessThan(25);
});
