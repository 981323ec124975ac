import { contractOf } from './contract.js';
import { NEXT_ITSELF } from './next-project.js';

contractOf(NEXT_ITSELF);
