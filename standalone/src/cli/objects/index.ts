/** Commands on the objects of an installation, by its management API. */
export { apply } from './apply.ts';
export { CONNECTION_OPTIONS, connectClient, KEY_NOTE, throwFailure } from './connection.ts';
export { deleteObjects } from './delete.ts';
export { diff } from './diff.ts';
export { exportObjects } from './export.ts';
export { get } from './get.ts';
export { toYaml } from './yaml.ts';
