export { fromReka } from './answer.ts';
export { takesReka, toRekaBody } from './request.ts';
