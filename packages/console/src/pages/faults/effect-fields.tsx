/** The fields of the effect of a fault, and of which requests it affects. */
import { NativeSelect, Select, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { faultBodies, faultPresets } from '../../../../../src/contract/testing/fault-effects.ts';
import { effectLabels, type FaultDraft, faultSelections, isRandom } from './fault-draft.ts';

interface FieldsProps {
  readonly form: UseFormReturnType<FaultDraft>;
}

const toOptions = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

const moments = {
  before: 'Before the operation starts',
  after: 'After its changes are stored',
  reset: 'By a reset before the operation starts',
};
const presets = Object.entries(faultPresets).map(([value, { description }]) => ({
  value,
  label: `${value}: ${description}`,
}));

export function EffectFields({ form }: FieldsProps) {
  const { effect } = form.values;
  return (
    <>
      <Select label="Effect" data={toOptions(effectLabels)} allowDeselect={false} {...form.getInputProps('effect')} />
      {effect === 'preset' ? (
        <Select
          label="Preset"
          className="form-grid-wide"
          data={presets}
          allowDeselect={false}
          {...form.getInputProps('preset')}
        />
      ) : undefined}
      {effect === 'status' ? (
        <>
          <TextInput label="Status" inputMode="numeric" {...form.getInputProps('status')} />
          <TextInput label="Retry-After" placeholder="30" inputMode="numeric" {...form.getInputProps('retryAfter')} />
        </>
      ) : undefined}
      {effect === 'status' || effect === 'body' ? (
        <NativeSelect
          label="Body"
          data={effect === 'status' ? [{ value: '', label: 'That of the error' }, ...faultBodies] : [...faultBodies]}
          {...form.getInputProps('body')}
        />
      ) : undefined}
      {effect === 'redirect' ? <TextInput label="Location" {...form.getInputProps('redirect')} /> : undefined}
      {effect === 'latency' ? (
        <>
          <TextInput label="Latency" {...form.getInputProps('latency')} />
          <TextInput label="Jitter" placeholder="50ms" {...form.getInputProps('jitter')} />
        </>
      ) : undefined}
      {effect === 'drop' ? (
        <Select label="When" data={toOptions(moments)} allowDeselect={false} {...form.getInputProps('drop')} />
      ) : undefined}
    </>
  );
}

export function SelectionFields({ form }: FieldsProps) {
  const { selection } = form.values;
  return (
    <>
      <Select
        label="Requests"
        data={toOptions(faultSelections)}
        allowDeselect={false}
        {...form.getInputProps('selection')}
      />
      {selection === 'all' ? undefined : (
        <TextInput
          key={selection}
          label={selection === 'probability' ? 'Probability' : 'Number'}
          inputMode="decimal"
          {...form.getInputProps(selection)}
        />
      )}
      {isRandom(form.values) ? (
        <TextInput label="Seed" placeholder="1" inputMode="numeric" {...form.getInputProps('seed')} />
      ) : undefined}
      <TextInput label="At most, times" placeholder="No limit" inputMode="numeric" {...form.getInputProps('times')} />
    </>
  );
}
