/** Which of what the interface documents the calls so far have brought about. */
import * as z from 'zod';
import type { Operation } from '../../contract/operation.ts';
import { listOperationErrors } from '../../contract/operation-errors.ts';
import type { CoverageCounters } from '../observability/coverage.ts';
import { operations } from '../operations/index.ts';

const Share = z.strictObject({ exercised: z.int(), total: z.int(), percent: z.number() });

export const CoverageReport = z.strictObject({
  operations: Share.describe('Operations that were called'),
  statuses: Share.describe('Documented statuses of all operations that were answered'),
  codes: Share.describe('Error codes of all operations that were answered'),
  items: z.array(
    z.strictObject({
      operation: z.string(),
      calls: z.int(),
      statuses: z.array(z.strictObject({ status: z.int(), calls: z.int() })).describe('Documented ones'),
      codes: z.array(z.strictObject({ code: z.string(), status: z.int(), calls: z.int() })).describe('Possible ones'),
      others: z.array(z.int()).describe('Statuses that were answered without being listed, such as 429'),
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
  const answered = [...(counted?.statuses.keys() ?? [])].sort((a, b) => a - b);
  return {
    operation: operation.id,
    calls: answered.reduce((sum, status) => sum + callsOf(status), 0),
    statuses: operation.statuses.map((status) => ({ status, calls: callsOf(status) })),
    codes: [...listOperationErrors(operation)].map(([code, status]) => ({
      code,
      status,
      calls: counted?.codes.get(code) ?? 0,
    })),
    others: answered.filter((status) => !operation.statuses.includes(status)),
  };
}

function computeShare(parts: readonly { readonly calls: number }[]): z.input<typeof Share> {
  const exercised = parts.filter(({ calls }) => calls > 0).length;
  return { exercised, total: parts.length, percent: Math.floor((exercised / parts.length) * 1000) / 10 };
}
