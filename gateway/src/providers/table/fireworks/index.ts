import type { Call, Provider } from '../../contract.ts';
import { deleteFile, getFile, listFiles } from './files.ts';
import { cancelFinetune, createFinetune, getFinetune, listFinetunes } from './fine-tuning.ts';
import { FIREWORKS_BASE_URL, FIREWORKS_MANAGEMENT_URL } from './paths.ts';
import { createFile } from './upload.ts';

export { FIREWORKS_MODEL_PLACES, FIREWORKS_PATHS, fireworksProxyBase } from './paths.ts';

export const FIREWORKS_ENDPOINTS: Provider['endpoints'] = { getFile, deleteFile, createFinetune, getFinetune };

export const FIREWORKS_PROCEDURES: NonNullable<Provider['procedures']> = {
  ...{ createFile, listFiles, listFinetunes, cancelFinetune },
};

const OF_ACCOUNT: ReadonlySet<string> = new Set(
  [FIREWORKS_ENDPOINTS, FIREWORKS_PROCEDURES].flatMap((calls) => Object.keys(calls)),
);

/** Resources of the account are not below the path of inference. */
export const fireworksBase = ({ endpoint }: Call): string =>
  OF_ACCOUNT.has(endpoint) ? FIREWORKS_MANAGEMENT_URL : FIREWORKS_BASE_URL;
