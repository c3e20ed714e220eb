/** Edits a group. What changes is shown before it is sent, and a parallel change is not overwritten. */
import { Alert, Button, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { RequestError, unwrap, unwrapResponse } from '../../../api/errors.ts';
import { useChanged } from '../../../api/use-changed.ts';
import { unchangedText } from '../../../components/confirm-dialog.tsx';
import { Equivalents, quotePositional } from '../../../components/equivalents.tsx';
import { ErrorPanel } from '../../../components/error-panel.tsx';
import { Dialog, DialogForm } from '../../../components/forms/dialog.tsx';
import { useFieldErrors } from '../../../components/forms/use-field-errors.ts';
import { PermittedButton } from '../../../components/permitted-button.tsx';
import { useToast } from '../../../components/toasts/toasts.tsx';
import { groupQueries, type VersionedGroup } from '../data/use-groups.ts';
import { ChangeList } from './change-list.tsx';
import {
  type GroupFields,
  listGroupChanges,
  rebaseGroupFields,
  toGroupFields,
  toGroupInputBody,
} from './group-changes.ts';
import { GroupForm } from './group-form.tsx';

export function EditGroup({ current }: { readonly current: VersionedGroup | undefined }) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <PermittedButton
        operation="groups.update"
        variant="default"
        onClick={dialog.open}
        disabledReason={current === undefined ? 'The group is still being read.' : undefined}
      >
        Edit
      </PermittedButton>
      <Dialog
        isOpen={isOpen && current !== undefined}
        onClose={dialog.close}
        title={`Edit ${current?.group.groupName}`}
      >
        {current === undefined ? undefined : <EditGroupForm current={current} onClose={dialog.close} />}
      </Dialog>
    </>
  );
}

function EditGroupForm({ current, onClose }: { readonly current: VersionedGroup; onClose(): void }) {
  // The version that the form began with: a refetch behind the dialog must not change what is compared.
  const [base, setBase] = useState(current);
  const form = useForm<GroupFields>({ initialValues: toGroupFields(current.group) });
  const fields = form.values;
  const errors = useFieldErrors({ form });
  const before = toGroupFields(base.group);
  const changes = listGroupChanges(before, fields);
  const { save, reread } = useGroupUpdate(base, {
    onSaved: onClose,
    errors,
    onReread(found) {
      form.setValues(rebaseGroupFields(before, fields, toGroupFields(found.group)));
      setBase(found);
    },
  });
  const hint = changes.length === 0 ? unchangedText : undefined;
  return (
    <DialogForm
      onSubmit={() => save.mutate(fields)}
      hint={hint}
      buttons={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <PermittedButton operation="groups.update" type="submit" loading={save.isPending} disabledReason={hint}>
            Save
          </PermittedButton>
        </>
      }
    >
      <GroupForm form={form} />
      <ChangeList changes={changes} />
      {errors.rest ? <ErrorPanel error={errors.rest} /> : undefined}
      {isChangedMeanwhile(save.error) ? (
        <RereadNotice isPending={reread.isPending} error={reread.error} onReread={() => reread.mutate()} />
      ) : undefined}
      <Equivalents
        command={['groups update', quotePositional(base.group.groupName), ...changes.map(({ option }) => option)].join(
          ' ',
        )}
        call={{
          method: 'PUT',
          path: `/security/iam/v1/groups/${base.group.groupId}`,
          headers: { 'If-Match': base.etag },
          body: toGroupInputBody(fields),
        }}
      />
    </DialogForm>
  );
}

interface UpdateHandlers {
  onSaved(): void;
  readonly errors: Pick<ReturnType<typeof useFieldErrors>, 'clear' | 'show'>;
  onReread(found: VersionedGroup): void;
}

function useGroupUpdate({ group: { groupId }, etag }: VersionedGroup, { onSaved, errors, onReread }: UpdateHandlers) {
  const { service } = useConsole();
  const showToast = useToast();
  const changed = useChanged(groupQueries);
  const path = { groupId };
  const save = useMutation({
    mutationFn: (fields: GroupFields) => {
      const header = { 'If-Match': etag };
      return unwrap(service.PUT('/groups/{groupId}', { params: { path, header }, body: toGroupInputBody(fields) }));
    },
    onMutate: errors.clear,
    onError: errors.show,
    onSuccess: (_data, { groupName: name }) => {
      onSaved();
      showToast({ text: 'Saved:', subject: { kind: 'group', id: groupId, name } });
      return changed();
    },
  });
  const reread = useMutation({
    mutationFn: async () => {
      const { data, response } = await unwrapResponse(service.GET('/groups/{groupId}', { params: { path } }));
      return { group: data, etag: response.headers.get('etag') ?? undefined };
    },
    onSuccess: (found) => {
      save.reset();
      errors.clear();
      onReread(found);
    },
  });
  return { save, reread };
}

function isChangedMeanwhile(error: unknown): boolean {
  return error instanceof RequestError && error.items.some(({ code }) => code === 'CHANGED_MEANWHILE');
}

interface RereadNoticeProps {
  readonly isPending: boolean;
  readonly error: unknown;
  onReread(): void;
}

function RereadNotice({ isPending, error, onReread }: RereadNoticeProps) {
  return (
    <Alert color="orange" variant="light" title="This group was changed meanwhile">
      <Stack gap="xs" align="flex-start">
        Nothing was saved. Read the group again: your changes are then made in its current version, and shown before you
        save them.
        <Button size="compact-sm" variant="default" loading={isPending} onClick={onReread}>
          Read again and keep my changes
        </Button>
        {error ? <ErrorPanel error={error} /> : undefined}
      </Stack>
    </Alert>
  );
}
