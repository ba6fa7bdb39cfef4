/** Azure Key Vault. */
import { err, ok, type Result } from '@gatehouse/crds';
import type { FetchProblem } from '../../translate/index.ts';
import { callForObject } from '../answers.ts';
import { type AzureCloud, azureToken } from '../clouds/index.ts';
import type { FetchSecret } from '../contract.ts';

const API_VERSION = '7.4';

/** By the domain of the vault: where tokens are from, and what they are for. */
const CLOUDS: ReadonlyMap<string, AzureCloud> = new Map([
  ['vault.azure.net', { authority: 'https://login.microsoftonline.com', resource: 'https://vault.azure.net' }],
  ['vault.azure.cn', { authority: 'https://login.partner.microsoftonline.cn', resource: 'https://vault.azure.cn' }],
  [
    'vault.usgovcloudapi.net',
    { authority: 'https://login.microsoftonline.us', resource: 'https://vault.usgovcloudapi.net' },
  ],
]);

export const fetchFromAzure: FetchSecret = async ({ spec, credentials, reach }, { http, identity, signal }) => {
  const { azure, path } = spec;
  const origin = azure === undefined ? undefined : new URL(azure.vaultUrl).origin;
  const cloud = CLOUDS.get(origin?.replace(/^https:\/\/[^.]+\./, '') ?? '');
  if (azure === undefined || cloud === undefined) return err('Malformed');
  const token = await tokenOf();
  if (!token.ok) return token;
  const answer = await callForObject(
    http,
    {
      method: 'GET',
      url: `${origin}/secrets/${encodeURIComponent(path)}?api-version=${API_VERSION}`,
      headers: { authorization: `Bearer ${token.value}`, accept: 'application/json' },
      reach,
    },
    { signal },
  );
  if (!answer.ok) return answer;
  const { value } = answer.value;
  return typeof value === 'string' ? ok({ kind: 'text', text: value }) : err('Malformed');

  async function tokenOf(): Promise<Result<string, FetchProblem>> {
    if (cloud === undefined || azure === undefined) return err('Malformed');
    if (azure.authMethod === 'OwnIdentity') return identity.azureToken(cloud, { http, signal });
    const { tenantId = '', clientId = '' } = azure;
    const proof = { client_secret: credentials['client_secret'] ?? '' };
    return azureToken({ cloud, tenantId, clientId, proof, reach }, { http, signal });
  }
};
