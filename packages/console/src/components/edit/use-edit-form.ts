/**
 * A form that edits an object. Until something is typed, it follows the object. If the object changes after that, the form
 * says what others changed, and takes it over when the user wants it: what was typed stays.
 */
import { useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import type { FieldDifference } from '../../../../../src/contract/changes/field-lines.ts';
import type { Versioned } from '../../api/use-versioned.ts';
import { mergeFields, pickChanged } from './merge-fields.ts';

export type EditForm<Values extends object> = ReturnType<typeof useEditForm<Values>>;

/** @param current the fields of the form, and the version of the object that they are of */
export function useEditForm<Values extends object>({ value: current, etag }: Versioned<Values>) {
  const [base, setBase] = useState({ value: current, etag });
  const form = useForm<Values>({ initialValues: current });
  const changed = pickChanged(base.value, form.values);
  const isUntouched = Object.keys(changed).length === 0;
  const foreign = Object.keys(pickChanged(base.value, current)) as (keyof Values & string)[];
  const isOutdated = foreign.length > 0 || etag !== base.etag;
  const restart = (values = current) => {
    setBase({ value: current, etag });
    form.setInitialValues(current);
    form.setValues(values);
  };
  useEffect(() => {
    if (isUntouched && isOutdated) restart();
  });
  return {
    form,
    /** What the form began with. */
    before: base.value,
    changed,
    isUntouched,
    /** Of the version that was edited. */
    etag: base.etag,
    /** What others changed since then; it may be nothing that the form has. */
    foreign:
      isUntouched || !isOutdated
        ? undefined
        : foreign.map((field): FieldDifference => ({ field, before: base.value[field], after: current[field] })),
    /** Makes the same changes in the current version. */
    takeOver: () => restart(mergeFields(base.value, form.values, current)),
    restart: () => restart(),
  };
}
