/**
 * The value with each part that equals the same part of `model` replaced by it, so that equal content is in memory once. Changes
 * the value in place, which nobody else may have yet.
 */
export function sharing<T>(value: T, model: unknown): T {
  if (!isContainer(value) || !isContainer(model)) return value;
  return share(value, model) as T; // equal to it
}

function share(value: Container, model: Container): Container {
  if (value === model || Array.isArray(value) !== Array.isArray(model)) return value;
  const names = Object.keys(value);
  let isSame = names.length === Object.keys(model).length;
  for (const name of names) {
    const [part, other] = [value[name], Object.hasOwn(model, name) ? model[name] : undefined];
    if (isContainer(part) && isContainer(other)) value[name] = share(part, other);
    isSame &&= Object.is(value[name], other) && Object.hasOwn(model, name);
  }
  return isSame ? model : value;
}

type Container = Record<string, unknown>;

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;
