/** A gateway with accounts of Vertex AI in front of a cloud of its own. */
import OpenAI from 'openai';
import { startWorld, type World } from './gateway.ts';
import { type FakeGoogleCloud, startGoogleCloud } from './google-cloud.ts';
import { KEY, provider } from './snapshot.ts';

export const GEMINI = 'gemini-2.5-flash';
export const STORED_TOKEN = 'stored-token-0123456789';

type Headers = Readonly<Record<string, string>>;

export interface VertexWorld extends AsyncDisposable {
  readonly cloud: FakeGoogleCloud;
  readonly world: World;
  /** By default at `@vertex`, whose bucket is `files`; `@nowhere` has none, and `@listed` admits one model. */
  clientOf(headers?: Headers): OpenAI;
  /** Whatever tests before have left. */
  clear(): void;
}

export async function startVertexWorld(): Promise<VertexWorld> {
  const cloud = await startGoogleCloud();
  const account = { provider: 'vertex-ai', customHost: cloud.url, secret: STORED_TOKEN };
  const settings = { vertex_region: 'us-central1', vertex_project_id: 'p1' };
  const bucket = { vertex_storage_bucket_name: 'files' };
  const world = await startWorld({
    env: { TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
    entries: () => [
      provider('vertex', { ...account, settings: { ...settings, ...bucket } }),
      provider('nowhere', { ...account, settings }),
      provider('listed', { ...account, settings: { ...settings, ...bucket }, models: [GEMINI] }),
    ],
  });
  return {
    ...{ cloud, world },
    clientOf: (headers = {}) =>
      new OpenAI({
        baseURL: `${world.url}/v1`,
        apiKey: KEY,
        defaultHeaders: { 'x-gw-provider': '@vertex', 'x-gw-provider-model': GEMINI, ...headers },
        maxRetries: 0,
      }),
    clear: () => {
      cloud.fault = undefined;
      cloud.calls.length = 0;
      cloud.objects.clear();
      cloud.jobs.clear();
    },
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      await cloud[Symbol.asyncDispose]();
    },
  };
}
