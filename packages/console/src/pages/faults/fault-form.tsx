/** Adds a fault rule. The command and the call at the end of the page follow what is typed. */
import { Group, Paper, Select, Stack, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { faultTargetNames } from '../../../../../src/contract/testing/fault-effects.ts';
import { Equivalents } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { useFieldErrors } from '../../components/forms/use-field-errors.ts';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { listChoices, useOperations } from '../requests/use-operations.ts';
import { EffectFields, SelectionFields } from './effect-fields.tsx';
import {
  type FaultDraft,
  faultFieldNames,
  formatFaultCommand,
  hasCaller,
  hasOperation,
  toFaultBody,
} from './fault-draft.ts';
import { useFaultAddition } from './use-fault-addition.tsx';

export function FaultForm({ initial }: { readonly initial: FaultDraft }) {
  const operations = useOperations();
  const form = useForm<FaultDraft>({ initialValues: initial });
  const errors = useFieldErrors({ form, fieldNames: faultFieldNames });
  const draft = form.values;
  const body = toFaultBody(draft);
  const addition = useFaultAddition({ onStart: errors.clear, onError: errors.show });
  return (
    <>
      <form onSubmit={form.onSubmit(() => addition.add(body))} aria-label="Add a fault" noValidate>
        <Paper withBorder p="md" bg="var(--surface)">
          <Stack gap="sm">
            <Title order={2} size="h4">
              Add a fault
            </Title>
            <div className="form-grid">
              <Select
                label="Operation"
                data={listChoices([
                  ...faultTargetNames,
                  ...operations.map(({ operation }) => operation),
                  draft.operation,
                ])}
                placeholder="All operations"
                searchable
                clearable
                clearButtonProps={{ 'aria-label': 'All operations' }}
                disabled={!hasOperation(draft)}
                {...form.getInputProps('operation')}
                value={draft.operation === '' ? null : draft.operation}
                // Enter chooses an operation; without one it would add a fault of all operations.
                onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
                onChange={(value) => form.setFieldValue('operation', value ?? '')}
              />
              <TextInput
                label="Caller"
                placeholder="All callers"
                disabled={!hasCaller(draft)}
                {...form.getInputProps('caller')}
              />
              <SelectionFields form={form} />
              <EffectFields form={form} />
            </div>
            {errors.rest === undefined ? undefined : <ErrorPanel error={errors.rest} />}
            <Group>
              {/* Not `loading`, which disables the button: it would lose the focus. */}
              <PermittedButton operation="POST /_iam/faults" type="submit" aria-busy={addition.isPending}>
                Add
              </PermittedButton>
            </Group>
          </Stack>
        </Paper>
      </form>
      {addition.question}
      <Equivalents
        title="Add the fault"
        command={formatFaultCommand(body)}
        call={{ method: 'POST', path: '/_iam/faults', body }}
        others={[{ title: 'List the faults', command: 'faults list', call: { path: '/_iam/faults' } }]}
      />
    </>
  );
}
