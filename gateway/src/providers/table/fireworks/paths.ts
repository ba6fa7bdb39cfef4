import type { Call, ModelPlace } from '../../contract.ts';
import { proxyPath } from '../../engine/index.ts';

export const FIREWORKS_BASE_URL = 'https://api.fireworks.ai/inference/v1';
const HOST_URL = 'https://api.fireworks.ai';
export const FIREWORKS_MANAGEMENT_URL = `${HOST_URL}/v1`;

const ACCOUNT = '/accounts/{fireworks_account_id}';

/** Images, and what the account owns without its users, keys, deployments and secrets. */
export const FIREWORKS_PATHS: readonly string[] = [
  'POST /image_generation/accounts/*/models/*',
  'POST /workflows/accounts/*/models/*/**',
  `GET|POST|DELETE ${ACCOUNT}/datasets`,
  `GET|POST|DELETE ${ACCOUNT}/datasets/<any>`,
  `GET|POST|DELETE ${ACCOUNT}/supervisedFineTuningJobs`,
  `GET|POST|DELETE ${ACCOUNT}/supervisedFineTuningJobs/<any>`,
  `GET ${ACCOUNT}/models`,
  `GET ${ACCOUNT}/models/*`,
];

/** Models are resources of accounts. Fine-tuning jobs are in no row: they name their model inside the definition. */
export const FIREWORKS_MODEL_PLACES: readonly ModelPlace[] = [
  {
    model: 'path',
    calls: [
      'POST /image_generation/accounts/<model>/models/<model>',
      ...['text_to_image', 'image_to_image', 'control_net', 'get_result'].map(
        (task) => `POST /workflows/accounts/<model>/models/<model>/${task}`,
      ),
      'POST /workflows/accounts/<model>/models/<model>',
    ],
    name: ([account, model]) => `accounts/${account}/models/${model}`,
  },
  {
    model: 'none',
    calls: ['datasets', 'datasets/<any>'].map((path) => `POST|DELETE /accounts/*/${path}`),
  },
];

/** Resources of accounts are not below the path of inference; clients write them with or without the version. */
export function fireworksProxyBase(call: Call): string | undefined {
  const version = /^(\/v1)?\/accounts\//.exec(proxyPath(call));
  if (version === null) return undefined;
  return version[1] === undefined ? FIREWORKS_MANAGEMENT_URL : HOST_URL;
}
