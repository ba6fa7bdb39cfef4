import { err, isObject, ok } from '@gatehouse/crds';
import { textAt } from '../../wire/json/json.ts';
import { modelEntry } from '../../wire/openai/index.ts';
import { defineProvider, type ModelsEndpoint, type Provider } from '../contract.ts';
import { bearer } from '../engine/index.ts';
import { imageGenerate } from './images.ts';

/** A bare list of engines. */
const models: ModelsEndpoint = {
  path: '/v1/engines/list',
  read(body, call) {
    if (!Array.isArray(body)) return err('the answer is no list');
    const engines = body.filter(isObject);
    return ok({
      data: engines.map((engine) => modelEntry(textAt(engine, 'id') ?? '', call.provider)),
      displayNames: new Map(
        engines.flatMap((engine) => {
          const name = textAt(engine, 'name');
          return name === undefined ? [] : [[textAt(engine, 'id') ?? '', name] as const];
        }),
      ),
    });
  },
};

const OLDER_TASKS = ['text-to-image', 'image-to-image', 'image-to-image/upscale', 'image-to-image/masking'];
const TASKS = ['generate', 'edit', 'upscale', 'control'];

/** Facts: the vendor's public API reference, without its users and their balance. */
export const stabilityAi: Provider = defineProvider({
  id: 'stability-ai',
  baseUrl: 'https://api.stability.ai',
  auth: bearer(),
  headers: {
    accept: ({ endpoint }) => (endpoint === 'imageGenerate' ? 'application/json' : undefined),
    'stability-client-id': '{stability_client_id}',
    'stability-client-user-id': '{stability_client_user_id}',
    'stability-client-version': '{stability_client_version}',
  },
  endpoints: { imageGenerate },
  models,
  proxy: {
    dataPlane: [
      'GET /v1/engines/list',
      ...OLDER_TASKS.map((task) => `POST /v1/generation/*/${task}`),
      ...TASKS.map((task) => `POST /v2beta/stable-image/${task}/**`),
      'POST /v2beta/3d/*',
      'POST /v2beta/audio/**',
      'GET /v2beta/results/*',
      'GET /v2beta/*/*/result/*',
      'GET /v2beta/audio/results/*',
    ],
    modelPlaces: [
      {
        model: 'path',
        calls: [
          ...OLDER_TASKS.map((task) => `POST /v1/generation/<model>/${task}`),
          'POST /v2beta/stable-image/generate/<model>',
        ],
      },
    ],
  },
});
