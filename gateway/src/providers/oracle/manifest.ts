import { ok } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import { apiFormatOf, createOciDecoder, fromOciChat, takesOciChat, toOciChat } from '../../wire/oci/index.ts';
import { askForUsageChunk } from '../../wire/openai/index.ts';
import { ociSignature } from '../clouds/oci/index.ts';
import { type AnswerHead, type Call, defineProvider, type Endpoint, type Provider } from '../contract.ts';
import { fieldMissing, requireModel } from '../engine/index.ts';

const DEFAULT_VERSION = '20231130';
const VERSION = /^\d{8}$/;

/** Versions of the API are dates. */
function chatPath({ fields, provider }: Call): string {
  const version = fields.text('oracle_api_version') ?? DEFAULT_VERSION;
  if (VERSION.test(version)) return `/${version}/actions/chat`;
  throw invalid(provider, 'oracle_api_version', 'a date of eight digits');
}

/** Whether the model is an endpoint of a dedicated cluster. */
function isDedicated({ fields, provider }: Call): boolean {
  const mode = fields.text('oracle_serving_mode')?.toUpperCase() ?? 'ON_DEMAND';
  if (mode === 'DEDICATED' || mode === 'ON_DEMAND') return mode === 'DEDICATED';
  throw invalid(provider, 'oracle_serving_mode', 'ON_DEMAND or DEDICATED');
}

const invalid = (provider: string, param: string, rule: string): AppError =>
  new AppError('PARAMETER_INVALID', { param, detail: `${param} must be ${rule}`, provider });

function compartmentOf({ fields, provider }: Call): string {
  const id = fields.text('oracle_compartment_id');
  if (id === undefined) throw fieldMissing(provider, 'oracle_compartment_id');
  return id;
}

function requestId({ headers }: AnswerHead): string | undefined {
  const id = headers['opc-request-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

const chatComplete: Endpoint = {
  method: 'POST',
  path: chatPath,
  // Models of Cohere have a format of their own, which is not mapped.
  supports: ({ params, model }) => apiFormatOf(params, model) === 'GENERIC',
  request: {
    kind: 'write',
    takes: () => takesOciChat,
    write: (params, call) =>
      ok(
        toOciChat(params, {
          compartmentId: compartmentOf(call),
          dedicated: isDedicated(call),
          model: requireModel(call),
        }),
      ),
  },
  answer: { kind: 'read', read: (body, call, head) => fromOciChat(body, call, requestId(head)) },
  stream: { kind: 'decode', framing: 'sse', open: createOciDecoder },
  askForUsage: askForUsageChunk,
};

/** OCI Generative AI. Facts: the vendor's API reference. */
export const oracle: Provider = defineProvider({
  id: 'oracle',
  baseUrl: 'https://inference.generativeai.{oracle_region}.oci.oraclecloud.com',
  auth: ociSignature(),
  routingHeaders: ['opc-compartment-id', 'opc-obo-token'],
  endpoints: { chatComplete },
  // Proxied calls name their compartment in the body: none is open to callers of a stored key unless its owner says so.
  proxy: { dataPlane: [], modelPlaces: [] },
});
