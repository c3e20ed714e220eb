/** Adds a fault rule. The command and the call at the end of the page follow what is typed. */
import { Group, Paper, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { faultTargetNames } from '../../../../../src/contract/testing/fault-effects.ts';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { CopyableLine, Equivalents, useCommandFormat } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { useFieldErrors } from '../../components/forms/use-field-errors.ts';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { describeEffect } from '../../components/texts/describe-effect.ts';
import { useToast } from '../../components/toasts/toasts.tsx';
import { describeTarget } from '../../components/top-bar/faults-menu.tsx';
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

interface FaultFormProps {
  readonly initial: FaultDraft;
  /** Whether there are no faults yet. */
  readonly isFirst: boolean;
}

export function FaultForm({ initial, isFirst }: FaultFormProps) {
  const formatCommand = useCommandFormat();
  const { control } = useConsole();
  const queryClient = useQueryClient();
  const operations = useOperations();
  const form = useForm<FaultDraft>({ initialValues: initial });
  const errors = useFieldErrors({ form, fieldNames: faultFieldNames });
  const showToast = useToast();
  const draft = form.values;
  const body = toFaultBody(draft);
  const affectsAll =
    hasOperation(draft) && Object.entries(body).every(([name, value]) => name === 'effect' || value === undefined);
  const [isAsking, setIsAsking] = useState(false);
  const add = useMutation({
    mutationFn: () => unwrap(control.POST('/faults', { body })),
    onMutate: errors.clear,
    onSettled: () => setIsAsking(false),
    onError: errors.show,
    onSuccess: (rule) => {
      showToast({ text: `Added the rule ${rule.id}: ${describeEffect(rule.effect)}, ${describeTarget(rule)}.` });
      return queryClient.invalidateQueries({ queryKey: ['faults'] });
    },
  });
  return (
    <>
      <form
        onSubmit={form.onSubmit(() => {
          if (add.isPending) return;
          if (affectsAll) setIsAsking(true);
          else add.mutate();
        })}
        aria-label="Add a fault"
        noValidate
      >
        <Paper withBorder p="md" bg="var(--surface)">
          <Stack gap="sm">
            <Title order={2} size="h4">
              Add a fault
            </Title>
            {isFirst ? (
              <>
                <Text c="dimmed">
                  No faults. One makes requests fail on purpose, so that you see what your program does.
                </Text>
                <div className="fault-example">
                  <CopyableLine text={formatCommand('faults add --preset next-login-fails')} />
                </div>
              </>
            ) : undefined}
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
              <PermittedButton operation="POST /_iam/faults" type="submit" aria-busy={add.isPending}>
                Add
              </PermittedButton>
            </Group>
          </Stack>
        </Paper>
      </form>
      <ConfirmDialog
        title="Affect every request?"
        isOpen={isAsking}
        confirmLabel="Add"
        isPending={add.isPending}
        onConfirm={() => add.mutate()}
        onCancel={() => setIsAsking(false)}
      >
        No operation and no caller is chosen: the rule affects every request to the service until it is removed.
      </ConfirmDialog>
      <Equivalents
        title="Add the fault"
        command={formatFaultCommand(body)}
        call={{ method: 'POST', path: '/_iam/faults', body }}
        others={[{ title: 'List the faults', command: 'faults list', call: { path: '/_iam/faults' } }]}
      />
    </>
  );
}
