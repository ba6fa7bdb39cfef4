export type {
  CheckAnswer,
  CheckCredential,
  CheckDefinition,
  CheckError,
  CheckSubject,
  CheckTools,
  CompiledCheck,
  RequestType,
  Restorable,
  Transformed,
} from './contract.ts';
export { CHECKS } from './register.ts';
