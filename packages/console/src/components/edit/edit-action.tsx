/**
 * A button that opens the fields of an object and saves what was changed in them. Every edit sends the version that was
 * edited; if the object changed meanwhile, it says who changed what, keeps what was typed, and offers to take it over.
 */
import { Alert, Button, Stack } from '@mantine/core';
import { describeFields } from '../../../../../src/contract/changes/field-lines.ts';
import { useNames } from '../../api/use-names.ts';
import { FieldLineList } from '../changes/field-line-list.tsx';
import { unchangedText } from '../confirm-dialog.tsx';
import { WriteAction, type WriteActionProps } from '../write-action.tsx';
import { type EditedObject, LastChange } from './last-change.tsx';
import type { EditForm } from './use-edit-form.ts';

interface EditActionProps<Values extends object, Data>
  extends Omit<
    WriteActionProps<Data>,
    'label' | 'confirmLabel' | 'form' | 'edited' | 'notReadyText' | 'onDone' | 'onCancel'
  > {
  readonly edit: EditForm<Values>;
  readonly object: EditedObject;
  /** Default: Edit. */
  readonly label?: string;
}

export function EditAction<Values extends object, Data>(props: EditActionProps<Values, Data>) {
  const { edit, object, label = 'Edit', isReady = true, children, ...action } = props;
  const { form, isUntouched, foreign, restart } = edit;
  const waitsFor = foreign ? 'Take over the other change first.' : isUntouched ? unchangedText : undefined;
  return (
    <WriteAction
      {...action}
      label={label}
      confirmLabel="Save"
      form={form}
      edited={{ ...object, etag: edit.etag }}
      isReady={isReady && waitsFor === undefined}
      {...(waitsFor === undefined ? {} : { notReadyText: waitsFor })}
      onDone={restart}
      onCancel={restart}
    >
      <Stack gap="xs">
        {children}
        {foreign ? <ChangedMeanwhile edit={edit} object={object} /> : undefined}
      </Stack>
    </WriteAction>
  );
}

interface ChangedMeanwhileProps<Values extends object> {
  readonly edit: EditForm<Values>;
  readonly object: EditedObject;
}

function ChangedMeanwhile<Values extends object>({ edit, object }: ChangedMeanwhileProps<Values>) {
  const { foreign = [], takeOver } = edit;
  const referred = describeFields(object.entity, foreign).changes.filter(({ kind }) => kind !== undefined);
  const nameOf = useNames(
    referred.flatMap(({ before, after, added = [], removed = [] }) =>
      [before, after, ...added, ...removed].filter((id) => id !== undefined && id !== ''),
    ) as string[],
  );
  return (
    <Alert color="orange" title="This was changed meanwhile" role="alert">
      <Stack gap="xs" align="flex-start">
        {foreign.length === 0 ? (
          'Fields that this form does not have were changed.'
        ) : (
          <FieldLineList
            entity={object.entity}
            fields={foreign}
            isPlain
            nameOf={(kind, id) => (kind === 'service' ? id : nameOf(kind, id))}
          />
        )}
        <LastChange {...object} />
        <Button size="compact-sm" variant="default" onClick={takeOver}>
          Take it over and keep my changes
        </Button>
      </Stack>
    </Alert>
  );
}
