/** Blobs of the one storage that an account names. Source: Azure Storage, "Get Blob" of the Blob service REST API. */
import { AppError } from '../../../errors/index.ts';
import {
  type Call,
  type OpenedAnswer,
  type ProcedureTools,
  ProviderRefusal,
  type WholeAnswer,
} from '../../contract.ts';
import type { NamedBlob } from '../../openai-like/index.ts';
import { storageAuth } from './authorizer.ts';

const SETTING = 'azure_storage_account';
const HEADER = 'x-gw-azure-storage-account';
/** Source: Azure Storage, rules for names of storage accounts. */
const NAME = /^[a-z0-9]{3,24}$/;
const VERSION = '2022-11-02';
/** Longest URL that is read, in characters: beyond every name of a blob. Source: the same, names of containers and blobs. */
const MAX_URL = 4_096;

/** Endings of hosts, where that of the account is not in the public cloud. Names of storages are taken once in each cloud. */
const CLOUDS = [
  { models: '.azure.us', blobs: 'blob.core.usgovcloudapi.net' },
  { models: '.azure.cn', blobs: 'blob.core.chinacloudapi.cn' },
] as const;
const PUBLIC_BLOBS = 'blob.core.windows.net';

/**
 * The content of a blob, which is in the storage of the account whatever a call has named. Rejects with BATCH_OUTPUT_MISSING for
 * any other, before a token is asked for, with PARAMETER_INVALID or PROVIDER_FIELD_MISSING for what the account has to say, and
 * with ProviderRefusal.
 */
export async function openBlob(blob: NamedBlob, call: Call, tools: ProcedureTools): Promise<OpenedAnswer> {
  const url = urlOf(blob, call, tools.baseUrl());
  const headers = { 'x-ms-date': new Date(call.now()).toUTCString(), 'x-ms-version': VERSION };
  try {
    return await tools.open({ method: 'GET', url, headers, auth: storageAuth });
  } catch (error) {
    throw error instanceof ProviderRefusal ? withoutBody(error.answer) : error;
  }
}

function urlOf({ url: text, member }: NamedBlob, call: Call, baseUrl: string): string {
  const missing = (detail: string): AppError =>
    new AppError('BATCH_OUTPUT_MISSING', { provider: call.provider, param: SETTING, detail });
  const name = call.fields.text(SETTING);
  if (name === undefined) {
    throw missing(
      `The output of the batch is no file: it is in a storage (${member} of the batch), and none that may be read is named: ${SETTING} of the account, or ${HEADER} of a call with its own credential`,
    );
  }
  if (!NAME.test(name)) {
    throw new AppError('PARAMETER_INVALID', {
      param: SETTING,
      detail: `${SETTING} must be the name of a storage account: 3 to 24 lower-case letters and digits`,
    });
  }
  const blobs = blobsOf(baseUrl);
  const origin = `https://${name}.${blobs}`;
  const path = pathBelow(origin, text);
  if (path !== undefined) return origin + path;
  throw missing(
    `${member} of the batch is not read: it must be https://NAME.${blobs}/CONTAINER/BLOB, where NAME is ${SETTING}`,
  );
}

function blobsOf(baseUrl: string): string {
  const host = URL.parse(baseUrl)?.hostname ?? '';
  return CLOUDS.find(({ models }) => host.endsWith(models))?.blobs ?? PUBLIC_BLOBS;
}

/** The path of a blob with nothing else beside it; undefined: it is another place. */
function pathBelow(origin: string, text: string): string | undefined {
  const url = text.length > MAX_URL ? null : URL.parse(text);
  if (url === null || url.origin !== origin) return undefined;
  const { username, password, search, hash, pathname } = url;
  return username + password + search + hash === '' && /^\/[^/]+\/./.test(pathname) ? pathname : undefined;
}

/** Error codes of the service. */
const CODE = /^[A-Za-z]{1,64}$/;

/** Only the code is repeated: what the storage says beside it may quote the request. */
function withoutBody({ status, headers }: WholeAnswer): ProviderRefusal {
  const { 'x-ms-error-code': given, 'retry-after': retry } = headers;
  const code = typeof given === 'string' && CODE.test(given) ? given : null;
  const error = {
    message: `The storage of the output has answered ${status}`,
    type: 'storage_error',
    param: null,
    code,
  };
  return new ProviderRefusal({
    status: status >= 400 ? status : 502,
    headers: { 'content-type': 'application/json', ...(typeof retry === 'string' ? { 'retry-after': retry } : {}) },
    bytes: Buffer.from(JSON.stringify({ error })),
  });
}
