#!/usr/bin/perl
# A bot for every game of the protocol: it wins each trick as cheaply as it can.
# Its policy is `decide`; all the rest is the protocol. Core modules alone.
package Lowest;

use strict;
use warnings;
use JSON::PP   ();
use List::Util qw(reduce);

# Ranks from low to high.
my $ACE_TEN = '23456789JQKTA';
my $PLAIN   = '23456789TJQKA';
my $ACE_LOW = 'A23456789TJQK';

my $json = JSON::PP->new->utf8->canonical;

# The ranks from low to high in this deal.
sub rank_order {
    my ( $view, $rules ) = @_;
    my $sooli = ( $view->{contract} // q{} ) eq 'sooli';
    return $ACE_LOW if $sooli && ( $rules->{sooli_ace} // q{} ) eq 'low';
    return $ACE_TEN if $view->{game} eq 'bondtolva' || $view->{game} eq 'marjapussi';
    return ( $rules->{rank_order} // q{} ) eq 'ace_ten' ? $ACE_TEN : $PLAIN;
}

# The lowest card that wins the trick as it lies, else the lowest card; where there is no card to
# play, the first legal action.
sub decide {
    my ( $view, $legal, $rules ) = @_;
    my @cards = grep { /^[2-9TJQKA][SHDC]$/ } @{$legal};
    return $legal->[0] if $view->{phase} ne 'play' || !@cards;

    my $order = rank_order( $view, $rules );
    my $trump = $view->{trump} // q{};
    my $rank  = sub { index $order, substr $_[0], 0, 1 };
    my $beats = sub {
        my ( $suit, $other ) = map { substr $_, 1 } @_;
        return $suit eq $other ? $rank->( $_[0] ) > $rank->( $_[1] ) : $suit eq $trump;
    };
    my $best    = reduce { $beats->( $b, $a ) ? $b : $a } map { $_->[1] } @{ $view->{trick} };
    my @winners = grep { defined $best && $beats->( $_, $best ) } @cards;
    return reduce { $rank->($b) < $rank->($a) ? $b : $a } @winners ? @winners : @cards;
}

my %rules;    # of every table in play

# What to answer to a message; most need no answer.
sub answer {
    my ($message) = @_;
    my $type = $message->{type} // q{};
    if ( $type eq 'start' ) {
        $rules{ $message->{table} } = $message->{rules};
    }
    elsif ( $type eq 'end' && $message->{over} ) {
        delete $rules{ $message->{table} };
    }
    elsif ( $type eq 'ask' ) {
        my ( $view, $legal, $table ) = @{$message}{qw(view legal table)};
        die "nothing is legal\n" unless @{ $legal // [] };
        my $action = decide( $view, $legal, $rules{$table} );
        return { type => 'act', id => $message->{id}, action => $action };
    }
    elsif ( $type eq 'ping' ) {
        return { type => 'pong', id => $message->{id} };
    }
    elsif ( $type eq 'fault' ) {
        warn 'lowest: ', $json->encode($message), "\n";
    }
    return;
}

sub main {
    local $| = 1;    # every line leaves at once
    for my $name (qw(REFEREE_ENDPOINT REFEREE_TOKEN)) {
        die "lowest: $name is not set: a referee starts this bot\n" unless $ENV{$name};
    }
    my %about = ( name => 'lowest-perl', version => '1.0.0', tables => 64 );
    my %hello = ( type => 'hello', protocol => [1], token => $ENV{REFEREE_TOKEN}, %about );
    print $json->encode( \%hello ), "\n";
    while ( my $line = <STDIN> ) {
        my ( $bye, $answer ) = eval {
            my $message = $json->decode($line);
            ( ( $message->{type} // q{} ) eq 'bye', answer($message) );
        };
        warn "lowest: odd message $line: $@" if $@;
        print $json->encode($answer), "\n" if $answer;
        last if $bye;
    }
    return;
}

main() unless caller;

1;
