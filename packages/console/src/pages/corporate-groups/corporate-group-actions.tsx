/** Edits and deletes a corporate group. */
import { Text } from '@mantine/core';
import { useLeave } from '../../api/use-leave.ts';
import { useNames } from '../../api/use-names.ts';
import { EditAction } from '../../components/edit/edit-action.tsx';
import { useEditForm } from '../../components/edit/use-edit-form.ts';
import { quotePositional } from '../../components/equivalents.tsx';
import { SubjectList } from '../../components/subject.tsx';
import { WriteAction } from '../../components/write-action.tsx';
import {
  organizationQueries,
  replaceCorporateGroup,
  toCorporateGroupFields,
  type VersionedCorporateGroup,
} from '../organizations/corporate-groups.ts';
import { CorporateGroupForm } from './corporate-group-form.tsx';

interface CorporateGroupActionProps {
  readonly current: VersionedCorporateGroup;
}

export function EditCorporateGroup({ current }: CorporateGroupActionProps) {
  const edit = useEditForm({ value: toCorporateGroupFields(current.value), etag: current.etag });
  const { values } = edit.form;
  const { command, request } = replaceCorporateGroup({ value: current.value, etag: edit.etag }, values);
  return (
    <EditAction
      edit={edit}
      object={{ entity: 'corporateGroup', id: current.value.corporateGroupId }}
      operation="corporate-groups.update"
      title={`Edit ${current.value.corporateGroupName}`}
      isReady={values.corporateGroupName !== ''}
      done="The corporate group was changed."
      command={command}
      request={request}
      changes={organizationQueries}
    >
      <CorporateGroupForm form={edit.form} />
    </EditAction>
  );
}

/** More names than these are counted. */
const maxNames = 5;

export function DeleteCorporateGroup({ current: { value: group } }: CorporateGroupActionProps) {
  const { corporateGroupId, corporateGroupName } = group;
  const leave = useLeave('/corporate-groups', ['corporate-groups', 'one', corporateGroupId]);
  return (
    <WriteAction
      operation="corporate-groups.remove"
      label="Delete"
      isDangerous
      title={`Delete ${corporateGroupName}`}
      confirmLabel="Delete the corporate group"
      command={`corporate-groups delete --yes ${quotePositional(corporateGroupId)}`}
      request={({ service }) =>
        service.DELETE('/corporate-groups/{corporateGroupId}', { params: { path: { corporateGroupId } } })
      }
      done={`The corporate group ${corporateGroupName} was deleted.`}
      onDone={leave}
      changes={organizationQueries}
    >
      <AffectedBusinesses ids={toCorporateGroupFields(group).businesses} />
    </WriteAction>
  );
}

function AffectedBusinesses({ ids }: { readonly ids: readonly string[] }) {
  const listed = ids.slice(0, maxNames);
  const nameOf = useNames(listed);
  if (ids.length === 0) return <Text>It has no businesses.</Text>;
  const subjects = listed.map((id) => ({ id, name: nameOf('business', id) }));
  return (
    <Text>
      These businesses are then in no corporate group:{' '}
      <SubjectList kind="business" subjects={subjects} total={ids.length} />. They are not deleted.
    </Text>
  );
}
