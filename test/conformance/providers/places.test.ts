/** What proxied calls reach with a stored credential, and where they name their model, for providers with paths of their own. */
import { describe, expect, test } from 'vitest';
import { compileProvider } from '../../../gateway/src/providers/engine/index.ts';
import { providerOf } from './session.ts';

const FIELDS: Readonly<Record<string, string>> = { fireworks_account_id: 'acct1' };

const placesOf = (id: string, call: string) => {
  const [method = '', path = ''] = call.split(' ');
  const { dataPlane, modelPlaces } = compileProvider(providerOf(id));
  return { open: dataPlane.admits({ method, path }, (name) => FIELDS[name]), model: modelPlaces({ method, path }) };
};

const OPEN: readonly (readonly [provider: string, call: string, model: string | undefined])[] = [
  ['fireworks-ai', 'POST /image_generation/accounts/fireworks/models/sdxl', 'accounts/fireworks/models/sdxl'],
  ['fireworks-ai', 'POST /workflows/accounts/fireworks/models/flux/text_to_image', 'accounts/fireworks/models/flux'],
  ['fireworks-ai', 'GET /accounts/acct1/datasets/d1', 'none'],
  ['fireworks-ai', 'POST /v1/accounts/acct1/datasets/d1:getUploadEndpoint', 'none'],
  ['fireworks-ai', 'POST /accounts/acct1/supervisedFineTuningJobs', undefined],
  ['workers-ai', 'POST /@cf/meta/llama-3.1-8b-instruct', '@cf/meta/llama-3.1-8b-instruct'],
  ['workers-ai', 'POST /%40cf/meta/m', '@cf/meta/m'],
  ['workers-ai', 'POST /v1/chat/completions', 'body'],
  ['workers-ai', 'GET /models/search', 'none'],
  ['ai21', 'POST /chat/completions', 'body'],
  ['ai21', 'POST /j2-ultra/complete', 'j2-ultra'],
  ['palm', 'POST /models/text-bison-001:countTextTokens', 'text-bison-001'],
  ['reka-ai', 'POST /v1/chat/completions', 'body'],
  ['reka-ai', 'POST /chat', undefined],
  ['triton', 'POST /generate_stream', undefined],
  ['bytez', 'POST /models/v2/Qwen/Qwen3-4B', 'Qwen/Qwen3-4B'],
  ['bytez', 'POST /models/v2/openai/v1/chat/completions', 'body'],
  ['stability-ai', 'POST /v1/generation/stable-diffusion-v1-6/text-to-image', 'stable-diffusion-v1-6'],
  ['stability-ai', 'POST /v2beta/stable-image/generate/ultra', 'ultra'],
  ['stability-ai', 'POST /v2beta/stable-image/upscale/fast', undefined],
];

describe('a path of the data plane', () => {
  test.for(OPEN)('of %s is open: %s runs %s', ([id, call, model]) => {
    const { open, model: found } = placesOf(id, call);
    expect(open).toBe(true);
    expect(found?.kind === 'path' ? found.model : found?.kind).toBe(model);
  });
});

describe('another path', () => {
  test.for([
    ['fireworks-ai', 'GET /accounts/acct2/datasets'],
    ['fireworks-ai', 'GET /accounts/acct1/apiKeys'],
    ['fireworks-ai', 'DELETE /accounts/acct1/models/m1'],
    ['workers-ai', 'POST /@cf/meta/m/extra'],
    ['workers-ai', 'POST /finetunes'],
    ['workers-ai', 'POST /@cf/..%2f..%2fuser/tokens'],
    ['ai21', 'GET /library/files'],
    ['palm', 'POST /tunedModels/t:generateText'],
    ['reka-ai', 'DELETE /models'],
    ['triton', 'POST /load'],
    ['bytez', 'POST /models/v2/a'],
    ['stability-ai', 'GET /v1/user/account'],
    ['stability-ai', 'GET /v1/user/balance'],
    ['oracle', 'POST /20231130/actions/embedText'],
  ] as const)('of %s is not: %s', ([id, call]) => {
    expect(placesOf(id, call).open).toBe(false);
  });
});
