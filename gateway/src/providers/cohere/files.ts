/** Datasets of the account as files. */
import { ok } from '@gatehouse/crds';
import { type FileEntry, fromDataset, fromDatasetAnswer } from '../../wire/cohere/index.ts';
import { objectsAt } from '../../wire/json/json.ts';
import { askJob } from '../clouds/objects/index.ts';
import type { Endpoint, Procedure } from '../contract.ts';
import { datasetPath, fileId, listPage } from './account.ts';

const NOTHING = { kind: 'none' } as const;

export const getFile: Endpoint = {
  method: 'GET',
  path: (call) => datasetPath(fileId(call)),
  request: NOTHING,
  answer: {
    kind: 'read',
    read(body, { provider }) {
      const file = fromDatasetAnswer(body);
      return file.ok ? ok({ ...file.value, provider }) : file;
    },
  },
};

export const deleteFile: Endpoint = {
  method: 'DELETE',
  path: (call) => datasetPath(fileId(call)),
  request: NOTHING,
  answer: {
    kind: 'read',
    read: (_body, call) => ok({ id: fileId(call), object: 'file', deleted: true, provider: call.provider }),
  },
};

export const listFiles: Procedure = {
  offer: 'mapped',
  async run(call, tools) {
    const purpose = new URLSearchParams(call.query).get('purpose') || undefined;
    const read = async (offset: number, limit: number) => {
      const query = new URLSearchParams({ limit: String(limit), offset: String(offset) });
      const answer = await askJob(call, tools, { method: 'GET', url: `${tools.baseUrl()}/v1/datasets?${query}` });
      return objectsAt(answer, 'datasets').map((dataset) => {
        const file = fromDataset(dataset);
        return file.ok ? file.value : undefined;
      });
    };
    const keep = purpose === undefined ? undefined : (file: FileEntry): boolean => file['purpose'] === purpose;
    return { kind: 'json', value: await listPage(call, read, keep) };
  },
};
