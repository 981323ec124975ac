import { Service, Tool } from '@sigil/core';
import { LoanRequest } from '../dto/loan-request.js';
import { Loan } from '../dto/loan.js';
import { Loans } from '../services/loans.js';

@Service()
export class LendBooks {
  constructor(private readonly loans: Loans) {}

  @Tool({ description: 'Lends books to a reader, all of them or none', destructive: false, openWorld: false })
  lendBooks(request: LoanRequest): Loan {
    return this.loans.lend(request);
  }
}
