/** The fields of an object that changed, one a line: values before and after, entries of lists that were added and removed. */

import { Text } from '@mantine/core';
import {
  describeFields,
  type FieldDifference,
  type FieldLine,
  type ReferredKind,
} from '../../../../../src/contract/changes/field-lines.ts';
import { Subject } from '../subject.tsx';
import { formatCount } from '../texts/format-count.ts';

export type NameOfId = (kind: ReferredKind, id: string) => string | undefined;

interface FieldLineListProps {
  /** The kind of the object: `user`. */
  readonly entity: string;
  readonly fields: readonly FieldDifference[];
  /** Names of the ids in the fields. */
  readonly nameOf: NameOfId;
  /** In a form, which a link would leave: text only. */
  readonly isPlain?: boolean;
}

/** What only the service needs is folded and counted. */
export function FieldLineList({ entity, fields, nameOf, isPlain = false }: FieldLineListProps) {
  const { changes, internals } = describeFields(entity, fields);
  return (
    <>
      {changes.length === 0 ? undefined : (
        <dl className="field-lines">
          {changes.map((line) => (
            <div key={line.field}>
              <dt>{line.field}</dt>
              <dd>
                <LineValues line={line} nameOf={nameOf} isPlain={isPlain} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {internals.length === 0 ? undefined : (
        <details className="field-lines-folded">
          <summary>{formatCount(internals.length, 'internal field')}</summary>
          <Text size="xs" ff="monospace" c="dimmed">
            {internals.join(', ')}
          </Text>
        </details>
      )}
    </>
  );
}

interface LineValuesProps extends Required<Pick<FieldLineListProps, 'nameOf' | 'isPlain'>> {
  readonly line: FieldLine;
}

function LineValues({ line, nameOf, isPlain }: LineValuesProps) {
  const { kind, isSecret, before, after, added, removed, omitted } = line;
  if (isSecret) return <Text c="dimmed">changed, not shown</Text>;
  const show = (value: string) =>
    kind === undefined ? (
      <bdi>{value}</bdi>
    ) : (
      <Subject kind={kind} id={value} name={nameOf(kind, value)} isPlain={isPlain} />
    );
  if (added && removed)
    return (
      <>
        {removed.map((entry) => (
          <del key={entry} className="field-lines-entry">
            {show(entry)}
          </del>
        ))}
        {added.map((entry) => (
          <ins key={entry} className="field-lines-entry">
            {show(entry)}
          </ins>
        ))}
        {omitted === undefined ? undefined : <Text c="dimmed">and {omitted.toLocaleString('en')} more</Text>}
      </>
    );
  return (
    <>
      {before === undefined ? undefined : <del>{show(before)}</del>}
      {before !== undefined && after !== undefined ? <span aria-hidden>→</span> : undefined}
      {after === undefined ? undefined : <ins>{show(after)}</ins>}
    </>
  );
}
