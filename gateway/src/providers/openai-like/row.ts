import { type Authorizer, defineProvider, type ModelPlace, type ModelsEndpoint, type Provider } from '../contract.ts';
import { bearer } from '../engine/index.ts';
import { batchOutput } from './batch-output.ts';
import { listedRows } from './batch-rows.ts';
import {
  chatEndpoint,
  completionEndpoint,
  type EndpointRow,
  embeddingsEndpoint,
  realtimeBelow,
  responsesBelow,
  responsesEndpoints,
} from './endpoints.ts';
import { type FurtherRows, furtherEndpoints } from './further.ts';
import { dataPlaneOf, modelPlacesOf, OPENAI_MODEL_PLACES, OPENAI_PATHS } from './paths.ts';
import { realtimeCallsBelow, realtimeSecretEndpoint } from './realtime.ts';
import { batchEndpoints, fileEndpoints, finetuneEndpoints, resourcesBelow } from './resources.ts';

/** A provider of the OpenAI format on another host. */
export interface OpenAiRow {
  readonly id: string;
  readonly baseUrl: Provider['baseUrl'];
  /** Prefix of the usual paths. */
  readonly prefix?: string;
  /** Default: the API key as a bearer token. */
  readonly auth?: Authorizer;
  readonly headers?: Provider['headers'];
  readonly routingHeaders?: Provider['routingHeaders'];
  readonly chat?: EndpointRow;
  readonly complete?: EndpointRow;
  readonly embed?: EndpointRow;
  /** What it offers beside these. */
  readonly further?: FurtherRows;
  /** Endpoints in a format of its own. */
  readonly endpoints?: Provider['endpoints'];
  /** What takes more than one request, beside the output of batches at the usual paths. */
  readonly procedures?: Provider['procedures'];
  /** The upstream has the responses API. */
  readonly responses?: true;
  /** The upstream has the realtime API: its sessions, and secrets that open some. */
  readonly realtime?: true;
  /** Which of OpenAI's resources the upstream has, at the usual paths. */
  readonly resources?: readonly ('files' | 'batches' | 'fine-tuning')[];
  /** `true`: the list is at the usual path. */
  readonly models?: true | ModelsEndpoint;
  readonly readError?: Provider['readError'];
  readonly proxy?: Omit<Provider['proxy'], 'dataPlane' | 'modelPlaces'>;
  /** Paths of proxied calls beside those of the format, or `only` these. */
  readonly paths?: readonly string[] | { readonly only: readonly string[] };
  /** Where calls of these paths name their model; matched before those of the format. */
  readonly modelPlaces?: readonly ModelPlace[];
}

function pathsOf({ paths = [], prefix }: OpenAiRow): readonly string[] {
  return 'only' in paths ? paths.only : dataPlaneOf([...OPENAI_PATHS, ...paths], prefix);
}

function modelPlacesOfRow({ paths = [], modelPlaces = [], prefix }: OpenAiRow): readonly ModelPlace[] {
  return 'only' in paths ? modelPlaces : modelPlacesOf([...modelPlaces, ...OPENAI_MODEL_PLACES], prefix);
}

function resourceEndpoints({ resources = [], prefix = '' }: OpenAiRow): Provider['endpoints'] {
  const path = resourcesBelow(prefix);
  return {
    ...(resources.includes('files') ? fileEndpoints(path) : {}),
    ...(resources.includes('batches') ? batchEndpoints(path) : {}),
    ...(resources.includes('fine-tuning') ? finetuneEndpoints(path) : {}),
  };
}

function procedures({ resources = [], prefix = '', procedures: own }: OpenAiRow): Pick<Provider, 'procedures'> {
  const usual = resources.includes('batches') ? { getBatchOutput: batchOutput(resourcesBelow(prefix)) } : undefined;
  return usual === undefined && own === undefined ? {} : { procedures: { ...usual, ...own } };
}

/** The provider of a row. */
export function openAiLike(row: OpenAiRow): Provider {
  const { prefix = '', chat, complete, embed, models } = row;
  const at = (path: string, own: EndpointRow): EndpointRow => ({ ...own, path: own.path ?? prefix + path });
  return defineProvider({
    id: row.id,
    baseUrl: row.baseUrl,
    auth: row.auth ?? bearer(),
    proxy: { ...row.proxy, dataPlane: pathsOf(row), modelPlaces: modelPlacesOfRow(row) },
    endpoints: {
      ...(chat === undefined ? {} : { chatComplete: chatEndpoint(at('/chat/completions', chat)) }),
      ...(complete === undefined ? {} : { complete: completionEndpoint(at('/completions', complete)) }),
      ...(embed === undefined ? {} : { embed: embeddingsEndpoint(at('/embeddings', embed)) }),
      ...furtherEndpoints(row.further ?? {}, prefix),
      ...resourceEndpoints(row),
      ...row.endpoints,
      ...(row.realtime === undefined
        ? {}
        : { realtime: realtimeBelow(prefix), ...realtimeSecretEndpoint(realtimeCallsBelow(prefix)) }),
      ...(row.responses === undefined ? {} : responsesEndpoints(responsesBelow(prefix))),
    },
    ...procedures(row),
    ...(row.resources?.includes('batches') === true
      ? { rowChecks: { createBatch: listedRows(resourcesBelow(prefix)) } }
      : {}),
    ...(row.headers === undefined ? {} : { headers: row.headers }),
    ...(row.routingHeaders === undefined ? {} : { routingHeaders: row.routingHeaders }),
    ...(row.readError === undefined ? {} : { readError: row.readError }),
    ...(models === undefined ? {} : { models: models === true ? { path: `${prefix}/models` } : models }),
  });
}
