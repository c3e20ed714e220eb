/** Coverage report: which documented statuses and error codes the requests so far have caused. */

import * as z from 'zod';
import type { Operation } from '../../../../contract/operation.ts';
import { listOperationErrors } from '../../../../contract/operation-errors.ts';
import { exampleInt, exampleText } from '../../../../contract/schemas/primitives.ts';
import type { CoverageCounters } from '../../../observability/coverage.ts';
import { operations } from '../../../operations/index.ts';

const Share = z.strictObject({
  exercised: exampleInt(45),
  total: exampleInt(Object.keys(operations).length),
  percent: z.number().meta({ examples: [49] }),
});

export const CoverageReport = z.strictObject({
  operations: Share.describe('Operations with at least one request'),
  statuses: Share.describe('Documented statuses that were returned, over all operations'),
  codes: Share.describe('Error codes that were returned, over all operations'),
  items: z.array(
    z.strictObject({
      operation: exampleText('groups.get'),
      calls: exampleInt(12),
      statuses: z
        .array(z.strictObject({ status: exampleInt(404), calls: exampleInt(12) }))
        .describe('Documented statuses'),
      codes: z
        .array(
          z.strictObject({
            code: exampleText('GROUP_NOT_FOUND'),
            status: exampleInt(404),
            calls: exampleInt(12),
          }),
        )
        .describe('Possible error codes'),
      others: z.array(z.int()).describe('Returned statuses that the operation does not list, such as 429'),
    }),
  ),
});

type Report = z.input<typeof CoverageReport>;
type Item = Report['items'][number];

const registry: readonly Operation<never>[] = Object.values(operations);

export function buildCoverageReport(counts: CoverageCounters): Report {
  const items = registry.map((operation) => buildItem(operation, counts));
  return {
    operations: computeShare(items),
    statuses: computeShare(items.flatMap(({ statuses }) => statuses)),
    codes: computeShare(items.flatMap(({ codes }) => codes)),
    items,
  };
}

function buildItem(operation: Operation<never>, counts: CoverageCounters): Item {
  const counted = counts.byOperation().get(operation.id);
  const callsOf = (status: number) => counted?.statuses.get(status)?.calls ?? 0;
  const returned = [...(counted?.statuses.keys() ?? [])].sort((a, b) => a - b);
  return {
    operation: operation.id,
    calls: returned.reduce((sum, status) => sum + callsOf(status), 0),
    statuses: operation.statuses.map((status) => ({ status, calls: callsOf(status) })),
    codes: [...listOperationErrors(operation)].map(([code, status]) => ({
      code,
      status,
      calls: counted?.codes.get(code) ?? 0,
    })),
    others: returned.filter((status) => !operation.statuses.includes(status)),
  };
}

function computeShare(parts: readonly { readonly calls: number }[]): z.input<typeof Share> {
  const exercised = parts.filter(({ calls }) => calls > 0).length;
  return { exercised, total: parts.length, percent: Math.floor((exercised / parts.length) * 1000) / 10 };
}
