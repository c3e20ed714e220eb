/** The fields of the effect of a fault, and of which requests it affects. */
import { Group, NativeSelect, Select, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type FaultDraft, faultEffects, faultSelections, isRandom } from './fault-draft.ts';

interface FieldsProps {
  readonly form: UseFormReturnType<FaultDraft>;
}

const toOptions = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

const moments = { before: 'Before the operation starts', after: 'After its changes are stored' };

interface EffectFieldsProps extends FieldsProps {
  /** What a rule can inject into the operation. */
  readonly statuses: readonly string[];
  readonly status: string;
}

export function EffectFields({ form, statuses, status }: EffectFieldsProps) {
  const { effect } = form.values;
  return (
    <Group align="flex-start" gap="sm">
      <Select label="Effect" data={toOptions(faultEffects)} allowDeselect={false} {...form.getInputProps('effect')} />
      {effect === 'status' ? (
        <NativeSelect label="Status" data={[...statuses]} w={120} {...form.getInputProps('status')} value={status} />
      ) : undefined}
      {effect === 'latency' ? (
        <>
          <TextInput label="Latency" w={120} {...form.getInputProps('latency')} />
          <TextInput label="Jitter" placeholder="50ms" w={120} {...form.getInputProps('jitter')} />
        </>
      ) : undefined}
      {effect === 'drop' ? (
        <Select label="When" data={toOptions(moments)} allowDeselect={false} {...form.getInputProps('drop')} />
      ) : undefined}
    </Group>
  );
}

export function SelectionFields({ form }: FieldsProps) {
  const { selection } = form.values;
  return (
    <Group align="flex-start" gap="sm">
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
          w={120}
          {...form.getInputProps(selection)}
        />
      )}
      {isRandom(form.values) ? (
        <TextInput label="Seed" placeholder="1" inputMode="numeric" w={120} {...form.getInputProps('seed')} />
      ) : undefined}
      <TextInput
        label="At most, times"
        placeholder="No limit"
        inputMode="numeric"
        w={140}
        {...form.getInputProps('times')}
      />
    </Group>
  );
}
