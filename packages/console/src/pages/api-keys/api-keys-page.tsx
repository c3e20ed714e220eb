/** API keys, each with the rights of a client. */
import { usePage } from '../../api/use-page.ts';
import { ApiKeyDetail } from './api-key-detail.tsx';
import { ApiKeyList } from './api-key-list.tsx';

export default function ApiKeysPage() {
  const { rest } = usePage();
  return rest === undefined ? <ApiKeyList /> : <ApiKeyDetail key={rest} apiKeyId={rest} />;
}
