/** Data sets of the account as files of OpenAI's API. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import { textAt } from '../../../wire/json/json.ts';
import { secondsOf, toFileObject } from '../../../wire/openai/index.ts';
import type { Call, Endpoint, JsonObject, Procedure } from '../../contract.ts';
import { accountName, idOfName, listPage, routeId } from './account.ts';

const NOTHING = { kind: 'none' } as const;

const datasetPath = (call: Call): string => `/${accountName(call)}/datasets/${routeId(call, 'file_id')}`;

/** Their content is for jobs alone. */
export const FILE_PURPOSE = 'fine-tune';

function toFile(dataset: unknown): Result<JsonObject & { readonly id: string }, string> {
  const id = isObject(dataset) ? idOfName(textAt(dataset, 'name')) : undefined;
  if (!isObject(dataset) || id === undefined) return err('the data set has no name');
  const state = textAt(dataset, 'state') ?? 'READY';
  const file = toFileObject({
    id,
    created_at: secondsOf(textAt(dataset, 'createTime')),
    filename: textAt(dataset, 'displayName') || id,
    purpose: FILE_PURPOSE,
    status: state === 'READY' ? 'processed' : state.toLowerCase(),
  });
  return ok({ ...file, id });
}

export const getFile: Endpoint = {
  method: 'GET',
  path: datasetPath,
  request: NOTHING,
  answer: {
    kind: 'read',
    read(body, { provider }) {
      const file = toFile(body);
      return file.ok ? ok({ ...file.value, provider }) : file;
    },
  },
};

export const deleteFile: Endpoint = {
  method: 'DELETE',
  path: datasetPath,
  request: NOTHING,
  answer: {
    kind: 'read',
    read: (_body, call) => ok({ id: routeId(call, 'file_id'), object: 'file', deleted: true, provider: call.provider }),
  },
};

export const listFiles: Procedure = {
  offer: 'mapped',
  run: async (call, tools) => ({
    kind: 'json',
    value: await listPage(call, tools, {
      collection: 'datasets',
      read: (entry) => {
        const file = toFile(entry);
        return file.ok ? file.value : undefined;
      },
    }),
  }),
};
