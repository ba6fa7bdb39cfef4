/** Models as batches name them: alone, by publisher, or as a resource of a project. */
import { AppError } from '../../../errors/index.ts';
import { gcpProject } from '../../clouds/gcp/index.ts';
import type { Call } from '../../contract.ts';
import { readModel, type VertexModel } from '../model.ts';

const OF_PUBLISHER =
  /^(?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/([a-z0-9-]{1,64})\/models\/([\w.@-]{1,128})$/;
/** Tuned ones: all of them are Google's. */
const OF_PROJECT = /^projects\/([^/]{1,128})\/locations\/([^/]{1,64})\/models\/([\w.@-]{1,128})$/;
const NAME = /^[\w.@-]{1,128}$/;

export interface NamedModel extends VertexModel {
  /** As a batch of the service names it. */
  readonly resource: string;
}

/** The model of a job as the service names it. */
export function modelOfJob(resource: string): NamedModel {
  const [, publisher, published] = OF_PUBLISHER.exec(resource) ?? [];
  if (publisher !== undefined && published !== undefined)
    return { ...readModel(`${publisher}.${published}`), resource };
  return { family: 'google', name: resource.split('/').at(-1) ?? resource, resource };
}

/** Throws PARAMETER_INVALID, or ACCOUNT_SETTING_REFUSED for a stored account and a model of another project. */
export function namedModel(text: string, param: string, call: Call): NamedModel {
  const [, publisher, published] = OF_PUBLISHER.exec(text) ?? [];
  if (publisher !== undefined && published !== undefined) {
    return { ...readModel(`${publisher}.${published}`), resource: text };
  }
  const [, project, location, tuned] = OF_PROJECT.exec(text) ?? [];
  if (project !== undefined && tuned !== undefined) {
    const { fields, stored, provider } = call;
    const isOwn = project === gcpProject(fields) && location === fields.text('vertex_region');
    if (stored !== true || isOwn) return { family: 'google', name: tuned, resource: text };
    throw new AppError('ACCOUNT_SETTING_REFUSED', {
      ...{ param, provider },
      detail: `${param} is in another project or region than the account`,
    });
  }
  const model = readModel(text);
  if (model.family !== 'endpoints' && NAME.test(model.name)) {
    return { ...model, resource: `publishers/${model.family}/models/${model.name}` };
  }
  throw new AppError('PARAMETER_INVALID', {
    ...{ param, provider: call.provider },
    detail: `${param} must be a model, publishers/PUBLISHER/models/MODEL or projects/PROJECT/locations/REGION/models/MODEL`,
  });
}
