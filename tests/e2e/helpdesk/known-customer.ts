import { Validate, ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import { CustomerRepository } from './customer-repository.js';

@ValidatorConstraint({ name: 'knownCustomer', async: true })
class KnownCustomerConstraint implements ValidatorConstraintInterface {
  constructor(private readonly customers: CustomerRepository) {}

  async validate(id: number): Promise<boolean> {
    return (await this.customers.get(id)) !== undefined;
  }

  defaultMessage(): string {
    return '$property must be the id of a customer';
  }
}

/** The id of a customer that is in the database. */
export const KnownCustomer = (): PropertyDecorator => Validate(KnownCustomerConstraint);
