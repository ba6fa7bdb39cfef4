/** Objects of the bucket as files of OpenAI's API. Source: Cloud Storage JSON API reference. */
import { textAt } from '../../../wire/json/json.ts';
import { secondsOf, toFileObject } from '../../../wire/openai/index.ts';
import { type ObjectPlace, objectId, objectUri, parseObject, textOf } from '../../clouds/objects/index.ts';
import type { Call, Procedure } from '../../contract.ts';
import { jsonOfStep } from '../../engine/index.ts';
import { contentRequest, GCS, gcsAuth, objectUrl } from './store.ts';

const placeOf = (call: Call): ObjectPlace =>
  parseObject(call.route['file_id'] ?? '', { call, rules: GCS, param: 'file_id' });

const numberIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

export const getFile: Procedure = {
  offer: 'mapped',
  async run(call, tools) {
    const place = placeOf(call);
    const object = jsonOfStep(await tools.ask({ method: 'GET', url: objectUrl(call, place), auth: gcsAuth }), call);
    const file = toFileObject({
      id: objectId(GCS, place),
      bytes: numberIn(textAt(object, 'size')),
      created_at: secondsOf(textAt(object, 'timeCreated')),
      filename: objectUri(GCS, place),
      ...{ purpose: 'batch', status: 'processed', status_details: '' },
    });
    return { kind: 'json', value: file };
  },
};

/** The object of the bucket, as far as the bucket keeps no older versions. */
export const deleteFile: Procedure = {
  offer: 'mapped',
  async run(call, tools) {
    const place = placeOf(call);
    await tools.ask({ method: 'DELETE', url: objectUrl(call, place), auth: gcsAuth });
    return { kind: 'json', value: { id: objectId(GCS, place), object: 'file', deleted: true } };
  },
};

export const getFileContent: Procedure = {
  offer: 'mapped',
  async run(call, tools) {
    const { headers, content } = await tools.open(contentRequest(call, placeOf(call)));
    return {
      kind: 'content',
      contentType: 'application/octet-stream',
      bytes: headers['content-encoding'] === undefined ? numberIn(textOf(headers['content-length'])) : undefined,
      content,
    };
  },
};
