/** Changes of fields as one line of text each. */
import type { FieldLine, ReferredKind } from '../../contract/changes/field-lines.ts';
import { formatNamedId } from './name-columns.ts';

/** Returns the name of what an id in a field refers to, if it is known. */
export type NameOfReference = (kind: ReferredKind, id: string) => string | undefined;

/** `roles: +DEPLOY`; a field whose values may not be read is only named. */
export function formatFieldLine(line: FieldLine, nameOf: NameOfReference): string {
  const { field, kind, isSecret, before, after, added, removed, omitted } = line;
  if (isSecret) return `${field}: changed`;
  const format = (value: string) => (kind === undefined ? value : formatNamedId(value, nameOf(kind, value)));
  if (added && removed) {
    const entries = [...removed.map((id) => `-${format(id)}`), ...added.map((id) => `+${format(id)}`)];
    return `${field}: ${[...entries, ...(omitted === undefined ? [] : [`and ${omitted} more`])].join(' ')}`;
  }
  const [left, right] = [before, after].map((value) => (value === undefined ? undefined : format(value)));
  if (left === undefined) return right === undefined ? field : `${field}: ${right}`;
  return `${field}: ${left} -> ${right ?? '(none)'}`;
}
