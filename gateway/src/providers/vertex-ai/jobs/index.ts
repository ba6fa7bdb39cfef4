import type { Provider } from '../../contract.ts';
import { cancelBatch, createBatch, getBatch, listBatches } from './batches.ts';
import { cancelFinetune, createFinetune, getFinetune, listFinetunes } from './fine-tuning.ts';
import { getBatchOutput } from './output.ts';

export const JOB_PROCEDURES: NonNullable<Provider['procedures']> = {
  ...{ createBatch, listBatches, getBatch, getBatchOutput, cancelBatch },
  ...{ createFinetune, listFinetunes, getFinetune, cancelFinetune },
};
