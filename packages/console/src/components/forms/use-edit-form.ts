/**
 * A form that edits an object. Only what was typed is sent, also if the object changes meanwhile; other fields
 * follow the object.
 */
import { useForm } from '@mantine/form';
import { useEffect } from 'react';

export function useEditForm<Values extends object>(current: Values) {
  const form = useForm<Values>({ initialValues: current });
  const initial = form.getInitialValues();
  const changed = pickChanged(initial, form.values);
  const restart = (values = current) => {
    form.setInitialValues(values);
    form.setValues(values);
  };
  const isUntouched = Object.keys(changed).length === 0;
  const isOutdated = Object.keys(pickChanged(initial, current)).length > 0;
  useEffect(() => {
    if (isUntouched && isOutdated) restart();
  });
  return { form, changed, isUntouched, restart };
}

function pickChanged<Values extends object>(before: Values, after: Values): Partial<Values> {
  const entries = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Values]),
  );
  return Object.fromEntries(entries) as Partial<Values>;
}
