/** Creates a corporate group, and opens it. */
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { WriteAction } from '../../components/write-action.tsx';
import {
  type CorporateGroupFields,
  formatCorporateGroupOptions,
  organizationQueries,
  toCorporateGroupBody,
} from '../organizations/corporate-groups.ts';
import { CorporateGroupForm } from './corporate-group-form.tsx';

const emptyFields: CorporateGroupFields = { corporateGroupName: '', organizationId: '', businesses: [] };

export function CreateCorporateGroup() {
  const navigate = useNavigate();
  const form = useForm({ initialValues: emptyFields });
  return (
    <WriteAction
      operation="corporate-groups.create"
      label="Create a corporate group"
      isPrimary
      title="Create a corporate group"
      confirmLabel="Create the corporate group"
      form={form}
      isReady={form.values.corporateGroupName !== ''}
      command={`corporate-groups create${formatCorporateGroupOptions(form.values)}`}
      request={({ service }) => service.POST('/corporate-groups', { body: toCorporateGroupBody(form.values) })}
      changes={organizationQueries}
      done={({ corporateGroupId: id }) => ({
        text: 'The corporate group was created:',
        subject: { kind: 'corporateGroup', id, name: form.values.corporateGroupName },
      })}
      onDone={({ corporateGroupId }) => {
        form.reset();
        return navigate({ to: '/corporate-groups/$', params: { _splat: corporateGroupId } as never });
      }}
    >
      <CorporateGroupForm form={form} />
    </WriteAction>
  );
}
