/** Corporate groups: businesses that belong together. They give no roles. */
import { usePage } from '../../api/use-page.ts';
import { PermittedArea } from '../../components/permitted-area.tsx';
import { CorporateGroupList } from './corporate-group-list.tsx';
import { CorporateGroupPage } from './corporate-group-page.tsx';

export default function CorporateGroupsPage() {
  const { rest } = usePage();
  return (
    <PermittedArea operation="corporate-groups.list" content="Corporate groups" title="Corporate groups">
      {rest === undefined ? <CorporateGroupList /> : <CorporateGroupPage key={rest} corporateGroupId={rest} />}
    </PermittedArea>
  );
}
