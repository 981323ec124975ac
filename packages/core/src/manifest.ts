// What a server promises to its clients.
export {
  arrangeContract,
  type Contract,
  type ContractFacts,
  type ContractPrompt,
  type ContractResource,
  type ContractTemplate,
  type ContractTool,
} from './server/contract.js';
export type { Explanation } from './server/explain.js';
