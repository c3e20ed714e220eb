/** Edits and deletes a corporate group. */
import { Text } from '@mantine/core';
import { useLeave } from '../../api/use-leave.ts';
import { useNames } from '../../api/use-names.ts';
import { unchangedText } from '../../components/confirm-dialog.tsx';
import { quotePositional } from '../../components/equivalents.tsx';
import { useEditForm } from '../../components/forms/use-edit-form.ts';
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
  const shown = toCorporateGroupFields(current.group);
  const { form, changed, isUntouched, restart } = useEditForm(shown);
  const fields = { ...shown, ...changed };
  return (
    <WriteAction
      operation="corporate-groups.update"
      label="Edit"
      title={`Edit ${current.group.corporateGroupName}`}
      confirmLabel="Save"
      form={form}
      isReady={fields.corporateGroupName !== '' && !isUntouched}
      notReadyText={isUntouched ? unchangedText : undefined}
      done="The corporate group was changed."
      {...replaceCorporateGroup(current, fields)}
      onDone={() => restart()}
      onCancel={() => restart()}
      changes={organizationQueries}
    >
      <CorporateGroupForm form={form} />
    </WriteAction>
  );
}

/** More names than these are counted. */
const maxNames = 5;

export function DeleteCorporateGroup({ current: { group } }: CorporateGroupActionProps) {
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
