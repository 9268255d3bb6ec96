// This file lets nanotime be declared without a body.
